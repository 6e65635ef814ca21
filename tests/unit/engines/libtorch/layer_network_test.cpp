// SPDX-License-Identifier: MIT
#include "engines/libtorch/layer_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

ModelOptions small_mlp(Activation activation) {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {2};
  model.activation = activation;
  return model;
}

// A network with 2 inputs, 2 hidden units and 1 output. Weights are listed layer by layer: rows first, then biases.
const std::vector<float> mlp_weights = {0.5f, -1.0f, 2.0f, 0.25f, 0.125f, -0.5f, 1.5f, -0.75f, 0.0625f};

LayerNetwork make_network(const ModelOptions& model, const DataShape& shape, const std::vector<float>& weights) {
  return LayerNetwork(model, network_layout(model, shape), weights, torch::kCPU, Precision::float64);
}

torch::Tensor rows_of(const std::vector<double>& values, std::int64_t rows) {
  return torch::tensor(values, torch::kFloat64).view({rows, -1});
}

}  // namespace

TEST_CASE("an mlp equals its formula for each activation") {
  const std::vector<std::pair<Activation, double (*)(double)>> activations = {
      {Activation::relu, [](double x) { return std::max(x, 0.0); }},
      {Activation::tanh, [](double x) { return std::tanh(x); }},
      {Activation::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {Activation::gelu, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {Activation::silu, [](double x) { return x / (1 + std::exp(-x)); }},
      {Activation::leaky_relu, [](double x) { return std::max(x, 0.01 * x); }},
      {Activation::elu, [](double x) { return x > 0 ? x : std::expm1(x); }},
      {Activation::selu,
       [](double x) { return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x)); }},
      {Activation::mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }}};
  CHECK(activations.size() == activation_table.size());
  for (const auto& [kind, function] : activations) {
    LayerNetwork network = make_network(small_mlp(kind), {1, 2, 1, {}}, mlp_weights);
    for (const auto& row : {std::array<double, 2>{1, 2}, std::array<double, 2>{-0.5, 0.75}}) {
      const double first = function(0.5 * row[0] - 1.0 * row[1] + 0.125);
      const double second = function(2.0 * row[0] + 0.25 * row[1] - 0.5);
      const double expected = 1.5 * first - 0.75 * second + 0.0625;
      const double output = network.forward(rows_of({row[0], row[1]}, 1)).item<double>();
      CHECK(output == Approx(expected).epsilon(1e-12));  // a few roundings in double
    }
  }
}

TEST_CASE("a layer norm is between a dense layer and its activation") {
  ModelOptions model = small_mlp(Activation::silu);
  model.norm = Norm::layer;
  // As mlp_weights, with the scale (2, -0.5) and shift (0.25, 1) of the norm after the first layer.
  const std::vector<float> weights = {0.5f,  -1.0f, 2.0f, 0.25f, 0.125f, -0.5f,  2,
                                      -0.5f, 0.25f, 1,    1.5f,  -0.75f, 0.0625f};
  LayerNetwork network = make_network(model, {1, 2, 1, {}}, weights);
  const double first = 0.5 * 1 - 1.0 * 2 + 0.125, second = 2.0 * 1 + 0.25 * 2 - 0.5;
  const double mean = (first + second) / 2, half = (first - second) / 2;
  const double inverse = 1 / std::sqrt(half * half + 1e-5);
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  const double expected =
      1.5 * silu(2 * (first - mean) * inverse + 0.25) - 0.75 * silu(-0.5 * (second - mean) * inverse + 1) + 0.0625;
  for (const bool training : {false, true}) {
    const auto step = training ? std::optional(TrainingStep{1, 0}) : std::nullopt;
    CHECK(network.forward(rows_of({1, 2}, 1), step).item<double>() == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("a network without bias has no bias parameters") {
  ModelOptions model = test::plain_model();
  model.bias = false;
  LayerNetwork network = make_network(model, {1, 3, 2, {}}, {1, 2, 3, 4, 5, 6});
  const auto outputs = network.forward(rows_of({1, 10, 100}, 1));
  CHECK(outputs[0][0].item<double>() == 321);
  CHECK(outputs[0][1].item<double>() == 654);
}

TEST_CASE("a cnn convolves with padding, applies 2 x 2 max pooling and flattens by channel") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::cnn;
  model.channels = {2};
  model.kernel = 3;
  const DataShape shape{1, 16, 1, {1, 4, 4}};
  // Channel 0 sums the 3 x 3 neighborhood and channel 1 doubles the center. The dense layer weights the eight values.
  std::vector<float> weights(9, 1.0f);
  weights.insert(weights.end(), {0, 0, 0, 0, 2, 0, 0, 0, 0});
  weights.insert(weights.end(), {0, 0.5f});                             // biases of the channels
  weights.insert(weights.end(), {1, 10, 100, 1000, 1, 10, 100, 1000});  // dense
  weights.push_back(0);
  LayerNetwork network = make_network(model, shape, weights);
  std::vector<double> image(16);
  std::iota(image.begin(), image.end(), 1.0);  // 1..16
  // The largest sum in each pooling window: 1+2+3+5+6+7+9+10+11 = 54 at (1, 1), 63 at (1, 2), 90 at (2, 1) and 99 at
  // (2, 2).
  const double sums = 54 + 10 * 63 + 100 * 90 + 1000 * 99;
  const double doubles = 12.5 + 10 * 16.5 + 100 * 28.5 + 1000 * 32.5;
  CHECK(network.forward(rows_of(image, 1)).item<double>() == Approx(sums + doubles).epsilon(1e-12));
}

TEST_CASE("backward passes fill one flat gradient in the order of the parameters") {
  LayerNetwork network = make_network(small_mlp(Activation::relu), {1, 2, 1, {}}, mlp_weights);
  // For the row (1, 2), the hidden values are -1.375 (set to 0 by relu) and 2.
  network.forward(rows_of({1, 2}, 1)).sum().backward();
  const std::vector<double> expected = {0, 0, -0.75, -1.5, 0, -0.75, 0, 2, 1};
  const torch::Tensor gradient = network.parameters().grad();
  REQUIRE(gradient.numel() == 9);
  for (std::int64_t i = 0; i < 9; ++i) CHECK(gradient[i].item<double>() == Approx(expected[std::size_t(i)]));
  network.forward(rows_of({1, 2}, 1)).sum().backward();
  CHECK(gradient[8].item<double>() == Approx(2));
}

TEST_CASE("changing the flat parameters changes every layer") {
  LayerNetwork network = make_network(small_mlp(Activation::relu), {1, 2, 1, {}}, mlp_weights);
  torch::Tensor parameters = network.parameters();
  parameters.mul_(2);
  // relu is homogeneous: the hidden values are (-2.75, 4), the output is 2 * (-0.75) * 4 + 2 * 0.0625
  CHECK(network.forward(rows_of({1, 2}, 1)).item<double>() == Approx(-5.875));
}

TEST_CASE("dropout zeroes and rescales hidden values only in training, with a new mask in each step") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {1000};
  model.dropout = 0.2;
  std::vector<float> weights(2 * 1000 + 1000 + 1, 0.0f);
  std::fill(weights.begin(), weights.begin() + 1000, 1.0f);         // weights from the input to every hidden unit
  std::fill(weights.begin() + 2000, weights.begin() + 3000, 1.0f);  // the output sums them
  LayerNetwork network = make_network(model, {1, 1, 1, {}}, weights);
  const auto row = rows_of({1}, 1);
  CHECK(network.forward(row).item<double>() == Approx(1000));
  const double first = network.forward(row, TrainingStep{5, 0}).item<double>();
  CHECK(first == network.forward(row, TrainingStep{5, 0}).item<double>());
  CHECK(first != network.forward(row, TrainingStep{5, 1}).item<double>());
  // Each unit that is not dropped contributes 1.25. Their number is binomial with deviation sqrt(1000 * 0.8 * 0.2).
  CHECK(std::abs(first - 1000) < 5 * 1.25 * std::sqrt(160));
  CHECK(first / 1.25 == Approx(std::round(first / 1.25)));
}

TEST_CASE("a float32 network has float32 parameters") {
  ModelOptions model = test::plain_model();
  LayerNetwork network(model, network_layout(model, {1, 2, 1, {}}), {1, 2, 3}, torch::kCPU, Precision::float32);
  CHECK(network.parameters().scalar_type() == torch::kFloat32);
  CHECK(network.forward(torch::ones({4, 2})).sizes() == torch::IntArrayRef({4, 1}));
}

TEST_CASE("with bfloat16, products are in bfloat16, and weights, gradients and outputs in float32") {
  const ModelOptions model = small_mlp(Activation::relu);
  LayerNetwork network(model, network_layout(model, {1, 2, 1, {}}), mlp_weights, torch::kCPU, Precision::bfloat16);
  const torch::Tensor rows = torch::tensor({0.3F, 0.7F, 1.1F, -0.9F}).view({2, 2});
  const auto as_bfloat16 = [](const torch::Tensor& values) { return values.to(torch::kBFloat16); };
  const torch::Tensor weights = as_bfloat16(torch::tensor(mlp_weights));
  const torch::Tensor hidden =
      torch::relu(torch::linear(as_bfloat16(rows), weights.narrow(0, 0, 4).view({2, 2}), weights.narrow(0, 4, 2)));
  const torch::Tensor expected =
      torch::linear(hidden, weights.narrow(0, 6, 2).view({1, 2}), weights.narrow(0, 8, 1)).to(torch::kFloat32);

  const torch::Tensor outputs = network.forward(rows, TrainingStep{1, 0});
  CHECK(outputs.scalar_type() == torch::kFloat32);
  CHECK(outputs.equal(expected));
  LayerNetwork exact(model, network_layout(model, {1, 2, 1, {}}), mlp_weights, torch::kCPU, Precision::float32);
  CHECK_FALSE(outputs.equal(exact.forward(rows)));  // the setting of one network does not affect others

  outputs.sum().backward();
  CHECK(network.parameters().scalar_type() == torch::kFloat32);
  CHECK(network.parameters().grad().scalar_type() == torch::kFloat32);
  CHECK(network.parameters().grad().abs().sum().item<float>() > 0);
}

namespace {

Layer layer_of(Layer::Kind kind, std::int64_t inputs, std::int64_t outputs, std::int64_t side) {
  Layer layer{kind, inputs, outputs, 1, side, side};
  layer.activated = false;
  return layer;
}

LayerNetwork network_of(const std::vector<Layer>& layers, const std::vector<float>& weights) {
  return LayerNetwork({}, layers, weights, torch::kCPU, Precision::float64);
}

}  // namespace

TEST_CASE("a batch norm uses the batch's statistics in training and updates its running statistics") {
  auto layers = {layer_of(Layer::Kind::convolution, 1, 1, 2), layer_of(Layer::Kind::batch_norm, 1, 1, 2)};
  LayerNetwork network = network_of(layers, {1, 0, 2, 0.5f});  // the identity, then weight 2 and bias 0.5
  const auto rows = rows_of({1, 2, 3, 4, 5, 6, 7, 8}, 2);      // mean 4.5, variance 5.25, unbiased 6
  const auto outputs = network.forward(rows, TrainingStep{}).flatten();
  for (std::int64_t i = 0; i < 8; ++i)
    CHECK(outputs[i].item<double>() ==
          Approx(2 * (static_cast<double>(i) + 1 - 4.5) / std::sqrt(5.25 + 1e-5) + 0.5).epsilon(1e-12));
  REQUIRE(network.buffers().size() == 2);
  CHECK(network.buffers()[0].item<double>() == Approx(0.1 * 4.5));
  CHECK(network.buffers()[1].item<double>() == Approx(0.9 + 0.1 * 6));
  const double evaluated = network.forward(rows).flatten()[7].item<double>();
  CHECK(evaluated == Approx(2 * (8 - 0.45) / std::sqrt(1.5 + 1e-5) + 0.5).epsilon(1e-12));
  CHECK(network.buffers()[0].item<double>() == Approx(0.45));
}

TEST_CASE("a batch with one value per channel does not change the running statistics") {
  LayerNetwork network =
      network_of({layer_of(Layer::Kind::convolution, 1, 2, 1), layer_of(Layer::Kind::batch_norm, 2, 2, 1)},
                 {1, 2, 0, 0, 1, 1, 3, 4});
  const auto outputs = network.forward(rows_of({5}, 1), TrainingStep{}).flatten();
  CHECK(outputs[0].item<double>() == Approx(3));
  CHECK(outputs[1].item<double>() == Approx(4));
  CHECK(network.buffers()[0].sum().item<double>() == 0);
  CHECK(network.buffers()[1].sum().item<double>() == 2);
}

TEST_CASE("a residual block adds its shortcut before the activation") {
  std::vector<Layer> layers(3, layer_of(Layer::Kind::convolution, 1, 1, 1));
  for (auto& layer : layers) layer.bias = false;
  layers[0].begins_block = true;
  layers[2].on_shortcut = layers[2].ends_block = layers[2].activated = true;
  LayerNetwork network = network_of(layers, {2, 3, -5});
  CHECK(network.forward(rows_of({1, 2}, 2)).flatten()[1].item<double>() == 2 * 2 * 3 - 5 * 2);
  CHECK(network.forward(rows_of({-1}, 1)).item<double>() == 0);
}

namespace {

// Hat functions of two features, with three edges and one edge.
const FeatureScaling two_features_edges = [] {
  FeatureScaling scaling;
  std::vector<float>& edges = scaling.edges;
  edges.assign(2 * max_edges, std::numeric_limits<float>::infinity());
  edges[0] = -1, edges[1] = 0.5f, edges[2] = 2, edges[max_edges] = 7;
  return scaling;
}();

// A number between the two is passed on; with codes, one feature is looked up and one is one-hot encoded.
Layer encoding_of(bool bias, bool has_codes) {
  using Use = EncodedFeature::Use;
  Layer layer{Layer::Kind::encoding, has_codes ? 5 : 3, 2 * embedding_width + 1};
  layer.bias = bias;
  layer.activated = false;
  layer.features = {{0, Use::piecewise, 0, 0, false, 0, 0}, {2, Use::piecewise, 0, 0, false, 8, 50}};
  if (has_codes) layer.features.push_back({3, Use::lookup, 4, -1, true, 16, 100});
  const std::int64_t next = has_codes ? 24 : 16;
  layer.features.push_back({1, Use::number, 0, 0, false, next, 100});
  if (has_codes) layer.features.push_back({4, Use::one_hot, 3, -1, false, next + 1, 104});
  layer.features.back().first_row = has_codes ? 104 : 100;
  layer.outputs = next + (has_codes ? 4 : 1);
  return layer;
}

}  // namespace

TEST_CASE("an encoding of numbers equals its formula") {
  const Layer layer = encoding_of(GENERATE(false, true), false);
  std::vector<float> weights;
  for (std::int64_t number = 0; number < parameter_count({layer}); ++number)
    weights.push_back(static_cast<float>(number * 37 % 101) / 8 - 6);
  LayerNetwork network({}, {layer}, weights, torch::kCPU, Precision::float64, two_features_edges);
  const std::vector<double> first{-3, -1, -0.25, 0.5, 1.25, 2, 9}, lower{0, 0, 0, 1, 1, 1, 1},
      place{0, 0, 0.5, 0, 0.5, 1, 1};
  for (std::size_t row = 0; row < first.size(); ++row) {
    const double second = 7 + first[row];
    const torch::Tensor outputs = network.forward(rows_of({first[row], 42, second}, 1));
    REQUIRE(outputs.sizes() == torch::IntArrayRef({1, 17}));
    for (std::size_t function = 0; function < 8; ++function) {
      const auto weight = [&](std::size_t feature, std::size_t line) {
        return double{weights[(feature * 50 + line) * 8 + function]};
      };
      const auto bias = [&](std::size_t feature) {
        return layer.bias ? double{weights[800 + feature * 8 + function]} : 0;
      };
      const auto bin = static_cast<std::size_t>(lower[row]);
      const auto index = static_cast<std::int64_t>(function);
      CHECK(outputs[0][index].item<double>() ==
            Approx(first[row] * weight(0, 0) + bias(0) + (1 - place[row]) * weight(0, 1 + bin) +
                   place[row] * weight(0, 2 + bin)));
      CHECK(outputs[0][8 + index].item<double>() == Approx(second * weight(1, 0) + bias(1) + weight(1, 1)));
    }
    CHECK(outputs[0][16].item<double>() == 42);
  }
}

TEST_CASE("an encoding of codes chooses rows of its weights and outputs") {
  const Layer layer = encoding_of(true, true);
  std::vector<float> weights;
  for (std::int64_t number = 0; number < parameter_count({layer}); ++number)
    weights.push_back(static_cast<float>(number));
  LayerNetwork network({}, {layer}, weights, torch::kCPU, Precision::float64, two_features_edges);
  for (const int code : {-1, 0, 2})
    for (const int level : {-1, 0, 1}) {
      const torch::Tensor outputs =
          network.forward(rows_of({0.0, 42.0, 7.0, static_cast<double>(code), static_cast<double>(level)}, 1));
      REQUIRE(outputs.sizes() == torch::IntArrayRef({1, 28}));
      for (std::int64_t place = 0; place < 8; ++place)
        CHECK(outputs[0][16 + place].item<double>() == static_cast<double>((101 + code) * 8 + place));
      CHECK(outputs[0][24].item<double>() == 42);
      for (int one = -1; one < 2; ++one) CHECK(outputs[0][26 + one].item<double>() == (one == level ? 1 : 0));
    }
}

TEST_CASE("the gradient of an encoding equals a finite difference") {
  const std::vector<Layer> layers{encoding_of(true, true)};
  std::vector<float> weights(static_cast<std::size_t>(parameter_count(layers)), 0.25f);
  const torch::Tensor rows = torch::tensor(
      {{-2.0, 1.0, 6.0, -1.0, 0.0}, {0.25, 2.0, 7.5, 2.0, 1.0}, {1.75, 3.0, 8.0, 2.0, -1.0}}, torch::kFloat64);
  const torch::Tensor factors = torch::arange(3 * 28, torch::kFloat64).cos().view({3, 28});
  const auto value_of = [&](const std::vector<float>& changed) {
    LayerNetwork network({}, layers, changed, torch::kCPU, Precision::float64, two_features_edges);
    return (network.forward(rows) * factors).sum().item<double>();
  };
  LayerNetwork network({}, layers, weights, torch::kCPU, Precision::float64, two_features_edges);
  (network.forward(rows, TrainingStep{1, 0}) * factors).sum().backward();
  const torch::Tensor gradient = network.parameters().grad();
  CHECK(network.weights().size() == 1);
  CHECK(network.weights()[0].count() == 104 * 8);
  for (std::size_t index = 0; index < weights.size(); ++index) {
    std::vector<float> changed = weights;  // the outputs are linear in the weights
    changed[index] += 1;
    const double difference = value_of(changed) - value_of(weights);
    CHECK(gradient[static_cast<std::int64_t>(index)].item<double>() == Approx(difference).margin(1e-12));
  }
}
