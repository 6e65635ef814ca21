// SPDX-License-Identifier: MIT
#include "models/initial_weights.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

template <class Iterator>
Moments moments(Iterator begin, Iterator end) {
  Moments found;
  const auto count = static_cast<double>(end - begin);
  for (auto value = begin; value != end; ++value) found.mean += double{*value} / count;
  for (auto value = begin; value != end; ++value) {
    found.deviation += (double{*value} - found.mean) * (double{*value} - found.mean) / count;
    found.largest = std::max(found.largest, std::abs(double{*value}));
  }
  found.deviation = std::sqrt(found.deviation);
  return found;
}

constexpr std::int64_t inputs = 400, outputs = 200, count = inputs * outputs;

std::vector<Layer> two_layers() {
  Layer first, second;
  first.inputs = inputs;
  first.outputs = outputs;
  second.inputs = outputs;
  second.outputs = 2;
  return {first, second};
}

// Checks that mean and deviation of `count` draws are within five standard errors. The relative standard error of the
// deviation is at most 1 / sqrt(2 n).
void check_moments(const Moments& found, double deviation) {
  CHECK(std::abs(found.mean) < 5 * deviation / std::sqrt(double{count}));
  CHECK(std::abs(found.deviation / deviation - 1) < 5 / std::sqrt(2.0 * count));
}

}  // namespace

TEST_CASE("pytorch: weights and bias are uniform within 1 / sqrt(fan_in)") {
  const auto weights = initial_weights(two_layers(), Initialization::pytorch, 1);
  REQUIRE(static_cast<std::int64_t>(weights.size()) == count + outputs + outputs * 2 + 2);
  const double bound = 1 / std::sqrt(double{inputs});
  const auto found = moments(weights.begin(), weights.begin() + count);
  check_moments(found, bound / std::sqrt(3.0));
  CHECK(found.largest <= bound * (1 + 1e-7));  // allows for rounding to float
  CHECK(found.largest > 0.999 * bound);
  const auto bias = moments(weights.begin() + count, weights.begin() + count + outputs);
  CHECK(bias.largest <= bound * (1 + 1e-7));
  CHECK(bias.largest > 0.9 * bound);
}

TEST_CASE("glorot: weights are uniform within sqrt(6 / (fan_in + fan_out)), biases zero") {
  const auto weights = initial_weights(two_layers(), Initialization::glorot, 1);
  const double bound = std::sqrt(6.0 / (inputs + outputs));
  const auto found = moments(weights.begin(), weights.begin() + count);
  check_moments(found, bound / std::sqrt(3.0));
  CHECK(found.largest <= bound * (1 + 1e-7));
  CHECK(found.largest > 0.999 * bound);
  CHECK(std::all_of(weights.begin() + count, weights.begin() + count + outputs, [](float b) { return b == 0; }));
  CHECK(weights.back() == 0);
}

TEST_CASE("he: weights are normal with deviation sqrt(2 / fan_in), biases zero") {
  const auto weights = initial_weights(two_layers(), Initialization::he, 1);
  const double deviation = std::sqrt(2.0 / inputs);
  const auto found = moments(weights.begin(), weights.begin() + count);
  check_moments(found, deviation);
  CHECK(found.largest > 3.5 * deviation);  // true for 80,000 normal draws, never for uniform draws
  CHECK(std::all_of(weights.begin() + count, weights.begin() + count + outputs, [](float b) { return b == 0; }));
}

TEST_CASE("the fans of a convolution include its kernel size") {
  Layer layer;
  layer.kind = Layer::Kind::convolution;
  layer.inputs = 16;
  layer.outputs = 555;
  layer.kernel = 3;
  const auto weights = initial_weights({layer}, Initialization::he, 3);
  REQUIRE(weights.size() == 16 * 9 * 555 + 555);
  check_moments(moments(weights.begin(), weights.end() - 555), std::sqrt(2.0 / (16 * 9)));
}

TEST_CASE("every rule initializes a norm to weights of 1 and biases of 0") {
  Layer layer;
  layer.kind = GENERATE(Layer::Kind::batch_norm, Layer::Kind::layer_norm);
  layer.inputs = layer.outputs = 2;
  for (const auto rule : {Initialization::pytorch, Initialization::glorot, Initialization::he, Initialization::zeros})
    CHECK(initial_weights({layer}, rule, 3) == std::vector<float>{1, 1, 0, 0});
}

TEST_CASE("embeddings are drawn from the standard normal distribution") {
  std::vector<float> weights;
  RandomStream stream(1, Purpose::initial_weights);
  append_initial_weights(weights, {LayerParameters::Kind::embedding, count, 0, 1, 1}, Initialization::pytorch, stream);
  REQUIRE(static_cast<std::int64_t>(weights.size()) == count);
  check_moments(moments(weights.begin(), weights.end()), 1);
}

TEST_CASE("the rule zeros initializes all parameters to zero") {
  const auto weights = initial_weights(two_layers(), Initialization::zeros, 1);
  CHECK(static_cast<std::int64_t>(weights.size()) == parameter_count(two_layers()));
  CHECK(std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 0; }));
}

TEST_CASE("initial weights depend on the seed and the position of the layer, not on other layers") {
  const auto weights = initial_weights(two_layers(), Initialization::pytorch, 1);
  CHECK(weights == initial_weights(two_layers(), Initialization::pytorch, 1));
  CHECK(weights[0] != initial_weights(two_layers(), Initialization::pytorch, 2)[0]);
  const auto alone = initial_weights({two_layers()[0]}, Initialization::pytorch, 1);
  CHECK(std::equal(alone.begin(), alone.end(), weights.begin()));
  const auto twice = initial_weights({two_layers()[1], two_layers()[1]}, Initialization::pytorch, 1);
  CHECK(twice[0] != twice[twice.size() / 2]);
}

TEST_CASE("a piecewise embedding starts with linear functions, uniform within 1 / sqrt(8)") {
  Layer layer{Layer::Kind::encoding, 300, 300 * embedding_width};
  for (std::int64_t feature = 0; feature < 300; ++feature)
    layer.features.push_back(
        {feature, EncodedFeature::Use::piecewise, 0, 0, false, feature * embedding_width, feature * (1 + max_edges)});
  for (const auto rule : {Initialization::pytorch, Initialization::glorot, Initialization::he}) {
    const auto weights = initial_weights({layer}, rule, 3);
    REQUIRE(static_cast<std::int64_t>(weights.size()) == layer.weight_count() + layer.bias_count());
    std::vector<float> drawn;
    for (std::size_t index = 0; index < weights.size(); ++index) {
      const bool is_at_edge = static_cast<std::int64_t>(index) < layer.weight_count() && index % 400 >= 8;
      if (is_at_edge && weights[index] != 0) FAIL("the value at an edge is not 0");
      if (!is_at_edge) drawn.push_back(weights[index]);
    }
    REQUIRE(drawn.size() == 4800);
    const double bound = 1 / std::sqrt(8.0);
    const float largest = *std::max_element(drawn.begin(), drawn.end());
    const float smallest = *std::min_element(drawn.begin(), drawn.end());
    CHECK(largest <= bound * (1 + 1e-7));
    CHECK(largest > 0.99 * bound);
    CHECK(smallest < -0.99 * bound);
    CHECK(drawn[0] != drawn[8]);
    CHECK(drawn[0] != drawn[2400]);  // of the biases
  }
  const auto zeros = initial_weights({layer}, Initialization::zeros, 3);
  CHECK(std::all_of(zeros.begin(), zeros.end(), [](float weight) { return weight == 0 && !std::signbit(weight); }));
}

TEST_CASE("rows that are looked up are normal with deviation 0.1, and 0 for unknown texts") {
  Layer layer{Layer::Kind::encoding, 2, 2 * embedding_width};
  layer.bias = false;
  layer.features = {{0, EncodedFeature::Use::lookup, 2000, -1, true, 0, 0},
                    {1, EncodedFeature::Use::lookup, 1000, -1, false, embedding_width, 2000}};
  const auto weights = initial_weights({layer}, Initialization::pytorch, 3);
  REQUIRE(weights.size() == 3000 * embedding_width);
  CHECK(std::count(weights.begin(), weights.begin() + embedding_width, 0) == embedding_width);
  CHECK(std::count(weights.begin() + embedding_width, weights.end(), 0) == 0);
  check_moments(moments(weights.begin() + embedding_width, weights.end()), 0.1);
}
