// Compares the kernels of encodings on every instruction set of this processor with simple loops in double.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "engines/native/kernels/kernels.hpp"
#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t width = embedding_width;

// The value of each function at `value`: linear between the values at the edges, and constant outside of them.
std::vector<double> interpolated(double value, const std::vector<double>& edges, const std::vector<double>& at_edges) {
  const auto last = static_cast<std::int64_t>(edges.size()) - 1;
  std::vector<double> result;
  for (std::int64_t function = 0; function < width; ++function) {
    double found = value < edges.front() ? at_edges[at(function)] : at_edges[at(last * width + function)];
    for (std::int64_t bin = 0; bin < last; ++bin)
      if (value >= edges[at(bin)] && value < edges[at(bin + 1)]) {
        const double t = (value - edges[at(bin)]) / (edges[at(bin + 1)] - edges[at(bin)]);
        found = (1 - t) * at_edges[at(bin * width + function)] + t * at_edges[at((bin + 1) * width + function)];
      }
    result.push_back(found);
  }
  return result;
}

template <class Value>
class OneFeature {
 public:
  explicit OneFeature(const std::vector<float>& edges) : edges_(edges.begin(), edges.end()) {
    std::vector<float> all = edges;
    all.resize(max_edges, std::numeric_limits<float>::infinity());
    bins_ = feature_bins<Value>(all);
  }

  EmbeddingBins<Value> bins() const {
    const auto inner = std::max<std::int64_t>(0, static_cast<std::int64_t>(edges_.size()) - 2);
    return {bins_.inner.data(), inner, bins_.lower.data(), bins_.width.data()};
  }
  const std::vector<double>& edges() const { return edges_; }

 private:
  std::vector<double> edges_;
  FeatureBins<Value> bins_;
};

// Values below, at, between and above the edges.
template <class Value>
std::vector<Value> values_around(const std::vector<float>& edges, std::int64_t count) {
  std::vector<Value> values = normals<Value>(count, 5, 2);
  for (std::size_t edge = 0; edge < edges.size() && edge < values.size() / 2; ++edge)
    values[2 * edge] = Value{edges[edge]};
  values[1] = -100, values[3] = 100;
  return values;
}

template <class Value>
void check_feature(const std::vector<float>& edges, bool has_bias) {
  INFO(edges.size() << " edges, bias " << has_bias);
  constexpr std::int64_t row_count = 112, count = 103, stride = 64;
  const double tolerance = pick<Value>(2e-5, 1e-12);
  const auto kernels = embedding_kernels<Value>();
  const OneFeature<Value> feature(edges);
  const auto plain = values_around<Value>(edges, row_count);
  Guarded<Value> values(plain), places(row_count), outputs(row_count * stride);
  Guarded<BinNumber<Value>> numbers(row_count);
  kernels.locate(feature.bins(), values.data(), row_count, numbers.data(), places.data());
  REQUIRE(numbers.intact());
  REQUIRE(places.intact());
  const auto weights = normals<Value>((1 + max_edges) * width, 6), biases = normals<Value>(width, 7);
  Guarded<Value> parameters(weights), bias(biases);
  const EmbeddedValues<Value> rows{values.data(), numbers.data(), places.data()};
  kernels.embed({parameters.data(), parameters.data() + width, has_bias ? bias.data() : nullptr}, rows, count, stride,
                outputs.data());
  REQUIRE(outputs.intact());
  const auto at_edges = doubles(std::vector<Value>(weights.begin() + width, weights.end()));
  double worst = 0;
  for (std::int64_t row = 0; row < count; ++row) {
    const double value = plain[at(row)];
    const auto expected = interpolated(value, feature.edges(), at_edges);
    for (std::int64_t function = 0; function < width; ++function)
      worst = std::max(worst, std::abs(outputs[row * stride + function] - expected[at(function)] -
                                       value * weights[at(function)] - (has_bias ? biases[at(function)] : Value{0})) /
                                  (1 + std::abs(value)));
  }
  CHECK(worst < tolerance);
  CHECK(outputs[stride - 1] == Guarded<Value>::guard);      // between the rows
  CHECK(outputs[count * stride] == Guarded<Value>::guard);  // after them

  // The derivative of sum(outputs * gradients) with respect to a weight is the change for a change by 1.
  const auto output_gradients = normals<Value>(row_count * stride, 8);
  Guarded<Value> gradients(output_gradients), sums(normals<Value>((1 + max_edges) * width, 9)),
      bias_sums(normals<Value>(width, 10));
  const auto before = sums.values(), bias_before = bias_sums.values();
  kernels.embed_gradient(rows, count, gradients.data(), stride, {sums.data(), sums.data() + width, bias_sums.data()});
  REQUIRE(sums.intact());
  REQUIRE(bias_sums.intact());
  for (std::int64_t function = 0; function < width; ++function) {
    double factor = 0, constant = 0;
    std::vector<double> of_edges(max_edges);
    for (std::int64_t row = 0; row < count; ++row) {
      const double gradient = output_gradients[at(row * stride + function)], value = plain[at(row)];
      factor += gradient * value;
      constant += gradient;
      for (std::size_t edge = 0; edge < feature.edges().size(); ++edge) {
        std::vector<double> hat(max_edges * width);
        hat[edge * width] = 1;
        of_edges[edge] += gradient * interpolated(value, feature.edges(), hat)[0];
      }
    }
    const auto added = [&](std::int64_t row) {
      return double{sums[row * width + function]} - double{before[at(row * width + function)]};
    };
    CHECK(added(0) == Approx(factor).margin(100 * tolerance));
    CHECK(double{bias_sums[function]} - bias_before[at(function)] == Approx(constant).margin(10 * tolerance));
    for (std::int64_t edge = 0; edge < max_edges; ++edge)
      CHECK(added(1 + edge) == Approx(of_edges[at(edge)]).margin(10 * tolerance));
  }
}

template <class Value>
void check_all() {
  std::vector<float> all;
  for (int edge = 0; edge < max_edges; ++edge) all.push_back(static_cast<float>(edge * edge) / 300 - 4);
  for (const bool has_bias : {false, true})
    for (const auto& edges : {std::vector<float>{0.5f}, {-1, 1}, {-2, -1.5f, 0.25f}, all})
      check_feature<Value>(edges, has_bias);
}

// Results and gradients, for rows of `outputs` numbers and for one output.
template <class Value>
void check_levels(std::int64_t outputs, std::int64_t code_count) {
  INFO("outputs " << outputs << ", codes " << code_count);
  constexpr std::int64_t row_count = 37, level_count = 19;
  const auto kernels = embedding_kernels<Value>();
  std::vector<BinNumber<Value>> levels;
  for (std::int64_t index = 0; index < row_count * code_count; ++index)
    levels.push_back(static_cast<BinNumber<Value>>(index * 7 % (level_count + 1) - 1));
  const RowLevels<Value> rows{levels.data(), code_count, row_count};
  for (const std::int64_t count : {outputs, std::int64_t{1}}) {
    Guarded<Value> table(normals<Value>(level_count * count, 11)), results(row_count * count);
    Guarded<Value> gradients(normals<Value>(row_count * count, 12)), sums(normals<Value>(level_count * count, 13));
    std::vector<double> expected(at(row_count * count)), expected_sums = doubles(sums.values());
    for (std::int64_t index = 0; index < row_count * code_count; ++index) {
      const std::int64_t row = index / code_count, level = levels[at(index)];
      for (std::int64_t output = 0; level >= 0 && output < count; ++output) {
        expected[at(row * count + output)] += table[level * count + output];
        expected_sums[at(level * count + output)] += gradients[row * count + output];
      }
    }
    if (count > 1) {
      kernels.sum_levels(table.data(), rows, count, results.data());
      kernels.sum_levels_gradient(rows, gradients.data(), count, sums.data());
    } else {
      kernels.sum_output(table.data(), rows, results.data());
      kernels.sum_output_gradient(rows, gradients.data(), sums.data());
    }
    REQUIRE((results.intact() && sums.intact()));
    CHECK(distance(results.values(), expected) < sum_tolerance<Value>());
    CHECK(distance(sums.values(), expected_sums) < sum_tolerance<Value>());
  }
}

}  // namespace

TEST_CASE("the rows of levels are added up, and the gradients are added to those of the levels") {
  on_every_target([] {
    for (const std::int64_t outputs : {16, 32, 48, 64, 144})
      for (const std::int64_t codes : {1, 4, 9}) {
        check_levels<float>(outputs, codes);
        check_levels<double>(outputs, codes);
      }
  });
}

TEST_CASE("a piecewise embedding is linear between edges, and its gradient is that of the two nearest edges") {
  on_every_target([] {
    check_all<float>();
    check_all<double>();
  });
}
