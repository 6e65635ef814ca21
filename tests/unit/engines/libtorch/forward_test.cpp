// Compares the native engine's forward pass with LibTorch's, and the parameters that trainers return.
// SPDX-License-Identifier: MIT
#include "engines/native/forward.hpp"

#include <cmath>
#include <cstring>

#include "core/random/random_fill.hpp"
#include "data/synthetic.hpp"
#include "engines/libtorch/layer_network.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/native/native_trainer.hpp"
#include "models/initial_weights.hpp"
#include "support/catch.hpp"
#include "support/epochs.hpp"
#include "support/one_training.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<float> draw(std::int64_t count, std::uint64_t index) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_normal({3, Purpose::synthetic_features, index, 0}, values.data(), count);
  return values;
}

// Sets the running means and variances of a network to random numbers. Returns them.
std::vector<double> drawn_statistics(const Network& network) {
  std::vector<double> all;
  for (std::size_t index = 0; index < network.buffers().size(); ++index) {
    const torch::Tensor& buffer = network.buffers()[index];
    std::vector<float> values = draw(buffer.numel(), 6 + index);
    if (index % 2 == 1)
      for (float& value : values) value = std::abs(value) + 0.5f;
    torch::Tensor(buffer).copy_(torch::tensor(values));
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

double greatest_distance(const std::vector<float>& ours, const torch::Tensor& theirs) {
  const auto mine = torch::from_blob(const_cast<float*>(ours.data()), theirs.sizes(), torch::kFloat32);
  return (mine - theirs).abs().max().item<double>();
}

// The values of categories as codes.
std::vector<float> with_codes(std::vector<float> values, const std::vector<FeatureKind>& kinds) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    const FeatureKind& kind = kinds[index % kinds.size()];
    const auto codes = static_cast<float>(kind.categories + 1);
    if (kind.is_category()) values[index] = std::floor((values[index] - std::floor(values[index])) * codes) - 1;
  }
  return values;
}

}  // namespace

TEST_CASE("the native forward pass agrees with LibTorch's for every shape and number of rows") {
  for (const auto& hidden : std::vector<std::vector<std::int64_t>>{{}, {5}, {128}, {300, 17}}) {
    for (const std::int64_t features : {1, 63, 130, 1700}) {
      for (const std::int64_t outputs : {1, 10, 150}) {
        ModelOptions model = test::plain_model();
        model.kind = hidden.empty() ? ModelKind::linear : ModelKind::mlp;
        model.hidden = hidden;
        model.activation = features == 63 ? Activation::gelu : Activation::relu;
        model.bias = features != 1;
        if (!hidden.empty() && outputs == 10) model.norm = Norm::layer;
        if (!hidden.empty() && outputs == 150) model.norm = Norm::batch;
        const auto layers = network_layout(model, {0, features, outputs, {}});
        const auto weights = initial_weights(layers, Initialization::he, 5);
        const FeatureScaling scaling =
            features == 63 ? FeatureScaling{draw(features, 1), draw(features, 2), draw(features, 3)} : FeatureScaling{};
        LayerNetwork network(model, layers, weights, torch::kCPU, Precision::float64);
        const NetworkState state{weights, drawn_statistics(network)};
        NativeForward forward(layers, model.activation, state, scaling);
        for (const std::int64_t rows : {1, 42, 84, 200}) {
          auto values = draw(rows * features, 4);
          std::vector<float> found(static_cast<std::size_t>(rows * outputs), NAN);
          CHECK(forward(values.data(), rows, found.data()));
          for (std::size_t index = 0; index < values.size() && !scaling.shift.empty(); ++index) {
            const std::size_t feature = index % scaling.shift.size();
            const double scaled = (double{values[index]} - scaling.shift[feature]) * scaling.scale[feature];
            values[index] = static_cast<float>(scaled / std::sqrt(1 + std::pow(scaling.clip[feature] * scaled, 2)));
          }
          const auto inputs = torch::from_blob(values.data(), {rows, features}, torch::kFloat32).to(torch::kFloat64);
          const torch::NoGradGuard no_grad;
          CHECK(greatest_distance(found, network.forward(inputs)) < 1e-4);
        }
      }
    }
  }
}

TEST_CASE("a feature that is not finite is detected, for any weight and activation") {
  const std::int64_t features = 70, rows = 100;
  for (const auto& hidden : std::vector<std::vector<std::int64_t>>{{}, {40}}) {
    ModelOptions model = test::plain_model();
    model.kind = hidden.empty() ? ModelKind::linear : ModelKind::mlp;
    model.hidden = hidden;  // relu maps many values that are not finite to zero
    const auto layers = network_layout(model, {0, features, 3, {}});
    for (const bool zero_weights : {false, true}) {
      const FeatureScaling scaling{draw(features, 1), std::vector<float>(features, 0.0f), {}};
      for (const auto& scaled : {FeatureScaling{}, scaling}) {
        auto weights = initial_weights(layers, Initialization::he, 5);
        if (zero_weights) std::fill(weights.begin(), weights.end(), 0.0f);
        NativeForward forward(layers, model.activation, {weights, {}}, scaled);
        std::vector<float> found(rows * 3);
        for (const std::int64_t index :
             {std::int64_t{0}, std::int64_t{features - 1}, 83 * features, 84 * features + 7, rows * features - 1}) {
          for (const float wrong : {NAN, INFINITY, -INFINITY}) {
            auto values = draw(rows * features, 4);
            CHECK(forward(values.data(), rows, found.data()));
            values[static_cast<std::size_t>(index)] = wrong;
            CHECK_FALSE(forward(values.data(), rows, found.data()));
          }
        }
      }
    }
  }
}

TEST_CASE("the native forward pass of an encoding agrees with LibTorch's, and detects numbers that are not finite") {
  for (const std::int64_t features : {1, 3, 9, 70})
    for (const int number : {0, 1, 2, 3}) {
      DataShape shape{0, features, 3, {}, std::vector<FeatureKind>(static_cast<std::size_t>(features))};
      if (number > 0)  // all but the first one
        for (std::size_t feature = 1; feature < shape.kinds.size(); feature += 2)
          shape.kinds[feature] = {static_cast<std::int64_t>(3 + feature % 11), feature % 4 == 1};
      if (features > 4) shape.kinds[4] = {0, true};
      ModelOptions model = test::plain_model();
      model.kind = features == 9 ? ModelKind::linear : ModelKind::mlp;
      model.hidden = {40};
      model.embedding = number < 2 ? Embedding::piecewise : Embedding::none;
      model.categories = number % 2 == 1 ? CategoryEncoding::embedding : CategoryEncoding::one_hot;
      model.bias = features != 3;
      const auto layers = network_layout(model, shape);
      const auto weights = draw(parameter_count(layers), 7);
      FeatureScaling scaling;
      scaling.edges = feature_edges(draw(features * 50, 1), features, category_features(shape.kinds), scaling);
      scaling.fill.assign(static_cast<std::size_t>(features), 0.75f);
      scaling = scaling_for(layers, scaling);
      LayerNetwork network(model, layers, weights, torch::kCPU, Precision::float64, scaling);
      NativeForward forward(layers, model.activation, {weights, {}}, scaling);
      for (const std::int64_t rows : {1, 42, 200}) {
        auto values = with_codes(draw(rows * features, 4), shape.kinds);
        for (std::int64_t row = 0; features > 4 && row < rows; row += 3)
          values[static_cast<std::size_t>(row * features + 4)] = NAN;
        std::vector<float> found(static_cast<std::size_t>(rows * 3), NAN);
        CHECK(forward(values.data(), rows, found.data()));
        const auto inputs = torch::from_blob(values.data(), {rows, features}, torch::kFloat32).to(torch::kFloat64);
        const torch::NoGradGuard no_grad;
        const torch::Tensor expected = network.forward(inputs);
        CHECK(greatest_distance(found, expected) < 1e-5 * (1 + expected.abs().max().item<double>()));
        std::vector<float> alone(3);
        const auto last = static_cast<std::size_t>(rows - 1);
        CHECK(forward(values.data() + (rows - 1) * features, 1, alone.data()));
        CHECK(std::memcmp(alone.data(), found.data() + last * 3, sizeof(float) * 3) == 0);
        for (const std::int64_t index : {std::int64_t{0}, features - 1, rows * features - 1})
          for (const float wrong : {NAN, INFINITY, -INFINITY}) {
            if (shape.kinds[static_cast<std::size_t>(index % features)].is_category()) continue;
            auto damaged = values;
            damaged[static_cast<std::size_t>(index)] = wrong;
            CHECK_FALSE(forward(damaged.data(), rows, found.data()));
          }
      }
    }
}

TEST_CASE("the outputs of a row are bitwise independent of the other rows") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {70};
  model.norm = GENERATE(Norm::none, Norm::layer, Norm::batch);
  const auto layers = network_layout(model, {0, 90, 3, {}});
  const std::vector<double> statistics(static_cast<std::size_t>(buffer_count(layers)), 0.75);
  NativeForward forward(layers, model.activation, {initial_weights(layers, Initialization::he, 5), statistics}, {});
  const auto values = draw(100 * 90, 1);
  std::vector<float> together(300), alone(3);
  CHECK(forward(values.data(), 100, together.data()));
  for (std::size_t row = 0; row < 100; ++row) {
    CHECK(forward(values.data() + row * 90, 1, alone.data()));
    CHECK(std::memcmp(alone.data(), together.data() + row * 3, sizeof(float) * 3) == 0);
  }
}

TEST_CASE("trainers return their parameters in the order of the initial weights") {
  Study study = test::regression_study();
  study.data.source = DataSource::synthetic;
  study.data.draw = Draw::study;
  study.data.relation = Relation::linear;
  study.data.columns = 70;
  study.data.outputs = 2;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {20};
  for (const auto& [precision, norm] : {std::pair(Precision::float32, Norm::none),
                                        {Precision::float64, Norm::none},
                                        {Precision::float64, Norm::layer}}) {
    study.train.precision = precision;
    study.model.norm = norm;
    const OneTraining training(study, draw_synthetic(study.data, 1));
    const auto native = make_native_trainer();
    const auto torch = make_torch_trainer({-1, 1}, nullptr);
    Epochs native_epochs(*native, training.task()), torch_epochs(*torch, training.task());
    CHECK(native->network().parameters == training.task().weights);
    CHECK(torch->network().parameters == training.task().weights);
    native_epochs.train_epoch();
    torch_epochs.train_epoch();
    const auto ours = native->network().parameters, theirs = torch->network().parameters;
    REQUIRE(ours.size() == theirs.size());
    CHECK(ours != training.task().weights);
    double greatest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
      greatest = std::max(greatest, std::abs(double{ours[i]} - double{theirs[i]}));
    CHECK(greatest < 1e-4);
  }
}
