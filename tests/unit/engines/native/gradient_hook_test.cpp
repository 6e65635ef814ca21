// A step's gradient, looked at as a whole before the update.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <numeric>
#include <vector>

#include "data/synthetic.hpp"
#include "engines/native/network.hpp"
#include "models/initial_weights.hpp"
#include "support/catch.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t row_count = 48;
constexpr double rate = 0.25;

struct Shape {
  std::vector<std::int64_t> hidden;
  bool bias = true;
  double dropout = 0;
  LossKind loss = LossKind::cross_entropy;
};

// A network by columns, by rows, in one pass, without bias, with padding everywhere.
const Shape shapes[] = {{{}},
                        {{}, true, 0, LossKind::mse},
                        {{5}},
                        {{64, 32}},
                        {{70, 7, 33}, false},
                        {{64}, true, 0.5},
                        {{300, 9}, true, 0, LossKind::bce}};

// The parameters after steps of one batch in so many tiles, and what the hook saw of the first.
struct Course {
  std::vector<float> parameters;
  std::vector<double> gradient;
};

Course course_of(const Shape& shape, OptimizerKind optimizer, std::int64_t tiles, bool with_hook, double factor = 1) {
  Study study;
  study.data = drawn_classes(row_count, 21, 3);
  ModelOptions& model = study.model;
  model.kind = shape.hidden.empty() ? ModelKind::linear : ModelKind::mlp;
  model.hidden = shape.hidden;
  model.bias = shape.bias;
  model.dropout = shape.dropout;
  study.train.loss = shape.loss;
  study.train.optimizer = optimizer;
  const DataSet data = draw_synthetic(study.data, 1);
  const auto layers = network_layout(model, {row_count, 21, 3, {}});
  const std::int64_t tile = row_count / tiles;
  NativeNetwork<double> network(layers, model, study.train, tile);
  network.reserve(tile);
  network.load(initial_weights(layers, model.initialization, 1), data, {});
  std::vector<std::int64_t> rows(row_count);
  std::iota(rows.begin(), rows.end(), 0);
  Course course;
  const GradientHook<double> hook = [&](double* gradient, std::int64_t count) {
    if (course.gradient.empty()) course.gradient.assign(gradient, gradient + count);
    for (std::int64_t place = 0; place < count; ++place) gradient[place] *= factor;
  };
  for (std::int64_t step = 0; step < (factor == 1 ? 3 : 1); ++step)
    for (std::int64_t begin = 0; begin < row_count; begin += tile) {
      network.gather(rows.data() + begin, tile, true);
      network.train({begin, begin == 0, begin + tile == row_count, 1.0 / row_count, rate, {1, step}},
                    with_hook ? &hook : nullptr);
    }
  course.parameters = network.parameters();
  return course;
}

std::vector<float> initial_parameters(const Shape& shape) {
  return course_of(shape, OptimizerKind::sgd, 1, true, 0).parameters;
}

}  // namespace

TEST_CASE("a hook that only looks changes no bit, in one tile or several") {
  for (const Shape& shape : shapes)
    for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adamw, OptimizerKind::rmsprop})
      for (const std::int64_t tiles : {1, 3})
        CHECK(course_of(shape, optimizer, tiles, true).parameters ==
              course_of(shape, optimizer, tiles, false).parameters);
}

TEST_CASE("the hook sees the whole gradient, and nothing in its padding") {
  for (const Shape& shape : shapes)
    for (const std::int64_t tiles : {1, 3}) {
      const auto before = initial_parameters(shape);
      const Course step = course_of(shape, OptimizerKind::sgd, tiles, true, 0.5);
      double moved = 0, seen = 0;
      for (std::size_t place = 0; place < before.size(); ++place)
        moved += std::pow((double{before[place]} - double{step.parameters[place]}) / (0.5 * rate), 2);
      for (const double value : step.gradient) seen += value * value;
      REQUIRE(seen > 1e-6);
      CHECK(moved == Approx(seen).epsilon(1e-4));  // parameters are rounded to float
    }
}

TEST_CASE("the update uses what the hook leaves of the gradient") {
  for (const Shape& shape : shapes) {
    const auto before = initial_parameters(shape);
    const auto whole = course_of(shape, OptimizerKind::sgd, 1, true, 0.999999999).parameters;
    const auto double_step = course_of(shape, OptimizerKind::sgd, 1, true, 2).parameters;
    for (std::size_t place = 0; place < before.size(); ++place)
      CHECK(double{double_step[place]} - double{before[place]} ==
            Approx(2 * (double{whole[place]} - double{before[place]})).margin(1e-6));
  }
}
