// SPDX-License-Identifier: MIT
#include "data/synthetic.hpp"

#include <cmath>
#include <cstdint>
#include <set>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

DataOptions options_of(Task task, Distribution distribution, Relation relation) {
  DataOptions options = test::plain_data();
  options.source = DataSource::synthetic;
  options.task = task;
  options.distribution = distribution;
  options.relation = relation;
  options.rows = 20000;
  options.columns = 5;
  return options;
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(const float* values, std::int64_t count) {
  Moments found;
  for (std::int64_t i = 0; i < count; ++i) found.mean += double{values[i]};
  found.mean /= static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) found.variance += std::pow(double{values[i]} - found.mean, 2);
  found.variance /= static_cast<double>(count);
  return found;
}

double correlation(const float* x, std::int64_t stride, const float* y, std::int64_t count) {
  double xy = 0, xx = 0, yy = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    xy += double{x[i * stride]} * double{y[i]};
    xx += double{x[i * stride]} * double{x[i * stride]};
    yy += double{y[i]} * double{y[i]};
  }
  return xy / std::sqrt(xx * yy);
}

}  // namespace

TEST_CASE("features and independent targets have the moments of their distribution") {
  for (const bool uniform : {false, true}) {
    const auto options =
        options_of(Task::regression, uniform ? Distribution::uniform : Distribution::normal, Relation::independent);
    const DataSet data = draw_synthetic(options, 3);
    CHECK(data.rows == 20000);
    CHECK(data.feature_count == 5);
    CHECK(data.output_count == 1);
    CHECK(data.labels == nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(data.features) % 64 == 0);
    for (const auto& [values, count] : {std::pair(data.features, 100000), std::pair(data.targets, 20000)}) {
      const Moments found = moments_of(values, count);
      // The bounds are five standard errors. That of the variance follows from the fourth moment (3 or 1/80).
      const double variance = uniform ? 1.0 / 12 : 1.0;
      const double fourth = uniform ? 1.0 / 80 : 3.0;
      CHECK(std::abs(found.mean - (uniform ? 0.5 : 0.0)) < 5 * std::sqrt(variance / count));
      CHECK(std::abs(found.variance - variance) < 5 * std::sqrt((fourth - variance * variance) / count));
    }
    if (!uniform) CHECK(std::abs(correlation(data.features, 5, data.targets, 20000)) < 5 / std::sqrt(20000.0));
  }
}

TEST_CASE("linear targets are a linear function of the features plus noise") {
  auto options = options_of(Task::regression, Distribution::normal, Relation::linear);
  options.outputs = 2;
  options.noise = 0;
  const DataSet exact = draw_synthetic(options, 3);
  options.noise = 0.5;
  const DataSet noisy = draw_synthetic(options, 3);

  // Row 6 is a linear combination of rows 0..4; elimination gives the coefficients. For a linear function, the target
  // of row 6 is the same combination of their targets.
  double system[5][6];
  for (int column = 0; column < 5; ++column) {
    for (int row = 0; row < 5; ++row) system[column][row] = double{exact.features[row * 5 + column]};
    system[column][5] = double{exact.features[6 * 5 + column]};
  }
  for (int pivot = 0; pivot < 5; ++pivot)
    for (int row = 0; row < 5; ++row) {
      if (row == pivot) continue;
      const double factor = system[row][pivot] / system[pivot][pivot];
      for (int column = 0; column < 6; ++column) system[row][column] -= factor * system[pivot][column];
    }
  for (int output = 0; output < 2; ++output) {
    double predicted = 0;
    for (int row = 0; row < 5; ++row)
      predicted += system[row][5] / system[row][row] * double{exact.targets[row * 2 + output]};
    // The tolerance covers the rounding of targets to float (6e-8) times the coefficients, which are well below 100.
    CHECK(predicted == Approx(exact.targets[6 * 2 + output]).margin(1e-4));
  }

  CHECK(std::equal(exact.features, exact.features + 100000, noisy.features));
  std::vector<float> noise(40000);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = noisy.targets[i] - exact.targets[i];
  const Moments found = moments_of(noise.data(), 40000);
  CHECK(std::abs(found.mean) < 5 * 0.5 / std::sqrt(40000.0));
  CHECK(std::abs(found.variance - 0.25) < 5 * 0.25 * std::sqrt(2.0 / 40000));
}

TEST_CASE("independent labels are uniform over the classes") {
  auto options = options_of(Task::classification, Distribution::normal, Relation::independent);
  options.classes = 4;
  const DataSet data = draw_synthetic(options, 3);
  CHECK(data.output_count == 4);
  CHECK(data.targets == nullptr);
  std::vector<int> counts(4);
  for (std::int64_t row = 0; row < data.rows; ++row) ++counts.at(static_cast<std::size_t>(data.labels[row]));
  for (const int count : counts) CHECK(std::abs(count - 5000) < 5 * std::sqrt(20000 * 0.25 * 0.75));
}

TEST_CASE("the linear label is the index of the largest linear target") {
  auto options = options_of(Task::regression, Distribution::normal, Relation::linear);
  options.outputs = 3;
  const DataSet targets = draw_synthetic(options, 3);
  options.task = Task::classification;
  options.classes = 3;
  const DataSet labels = draw_synthetic(options, 3);
  int wrong = 0;
  for (std::int64_t row = 0; row < labels.rows; ++row) {
    const float* values = targets.targets + 3 * row;
    wrong += values[labels.labels[row]] < *std::max_element(values, values + 3);
  }
  CHECK(wrong == 0);
}

TEST_CASE("synthetic data depends only on the options and the seed, and its fingerprint differs when they do") {
  const auto options = options_of(Task::regression, Distribution::normal, Relation::independent);
  const DataSet first = draw_synthetic(options, 3);
  const DataSet again = draw_synthetic(options, 3);
  const DataSet other = draw_synthetic(options, 4);
  CHECK(std::equal(first.features, first.features + 100000, again.features));
  CHECK(std::equal(first.targets, first.targets + 20000, again.targets));
  CHECK_FALSE(std::equal(first.features, first.features + 100, other.features));
  CHECK_FALSE(std::equal(first.features, first.features + 100, first.targets));
  CHECK(first.fingerprint == "synthetic: normal [20000, 5], independent targets of 1, seed 3");
  auto uniform = options;
  uniform.distribution = Distribution::uniform;
  auto linear = options;
  linear.relation = Relation::linear;
  CHECK(std::set<std::string>{first.fingerprint, other.fingerprint, draw_synthetic(uniform, 3).fingerprint,
                              draw_synthetic(linear, 3).fingerprint}
            .size() == 4);
}
