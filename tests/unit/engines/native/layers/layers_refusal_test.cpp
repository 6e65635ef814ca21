// SPDX-License-Identifier: MIT
#include "engines/native/layers/layers_refusal.hpp"

#include <stdexcept>

#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

std::vector<Layer> layers_of(ModelKind kind) {
  ModelOptions model = test::plain_model();
  model.kind = kind;
  model.channels = {4};
  return network_layout(model, {1000, 3072, 10, {3, 32, 32}});
}

}  // namespace

TEST_CASE("the native engine computes dense layers, and says which other layers a network has") {
  for (const ModelKind kind : {ModelKind::linear, ModelKind::mlp}) {
    CHECK(layers_refusal(layers_of(kind)) == std::nullopt);
    CHECK_NOTHROW(require_layers(layers_of(kind)));
  }
  for (const ModelKind kind : {ModelKind::cnn, ModelKind::resnet18, ModelKind::resnet50}) {
    CHECK(layers_refusal(layers_of(kind)) == "the network has convolutions");
    CHECK_THROWS_AS(require_layers(layers_of(kind)), std::logic_error);
  }
  CHECK(layers_refusal(layers_of(ModelKind::plugin)) == "its layers are not known");
}

TEST_CASE("one layer that the native engine does not have is enough, wherever it is") {
  for (std::size_t place = 0; place < 2; ++place) {
    std::vector<Layer> layers = layers_of(ModelKind::mlp);
    layers[place].kind = Layer::Kind::convolution;
    CHECK(layers_refusal(layers) == "the network has convolutions");
  }
}

TEST_CASE("the native engine computes norms between dense layers") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.norm = GENERATE(Norm::layer, Norm::batch);
  const std::vector<Layer> layers = network_layout(model, {1000, 64, 10, {}});
  CHECK(layers_refusal(layers) == std::nullopt);
  for (const auto& wrong :
       {std::vector<Layer>{layers[1], layers[2]}, {layers[0], layers[1]}, {layers[0], layers[1], layers[1], layers[2]}})
    CHECK(layers_refusal(wrong) == "a norm is not between dense layers");
  std::vector<Layer> biased = layers;
  biased[0].bias = true;
  const bool may_have_bias = model.norm == Norm::layer;
  CHECK(layers_refusal(biased).value_or("") == (may_have_bias ? "" : "a batch norm follows a layer with a bias"));
}

TEST_CASE("an activation must follow each hidden layer") {
  for (std::size_t place = 0; place < 2; ++place) {
    std::vector<Layer> layers = layers_of(ModelKind::mlp);
    layers[place].activated = !layers[place].activated;
    CHECK(layers_refusal(layers) == "an activation must follow each hidden layer, and only these");
  }
}

TEST_CASE("a saved model has parameters for every network that the native engine can compute") {
  for (const ModelKind kind : {ModelKind::linear, ModelKind::mlp, ModelKind::cnn, ModelKind::resnet18})
    if (!layers_refusal(layers_of(kind))) CHECK(works_on_rows(layers_of(kind)));
}

TEST_CASE("the native engine computes an encoding that is the first of several layers") {
  ModelOptions model = test::plain_model();
  model.kind = GENERATE(ModelKind::linear, ModelKind::mlp);
  model.embedding = Embedding::piecewise;
  const std::vector<Layer> layers = network_layout(model, {1000, 64, 10, {}});
  CHECK(layers_refusal(layers) == std::nullopt);
  CHECK(layers_refusal({layers[0]}) == "an encoding is not the first of several layers");
  CHECK(layers_refusal({layers[0], layers[0], layers[1]}) == "an encoding is not the first of several layers");
  std::vector<Layer> activated = layers;
  activated[0].activated = true;
  CHECK(layers_refusal(activated) == "an activation must follow each hidden layer, and only these");
}
