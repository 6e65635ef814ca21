// SPDX-License-Identifier: MIT
#include "plan/network_layout.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a linear model is one dense layer, whatever hidden says") {
  ModelOptions model;
  model.hidden = {5};
  const auto layers = network_layout(model, {100, 10, 3, {}});
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].kind == Layer::Kind::dense);
  CHECK(layers[0].inputs == 10);
  CHECK(layers[0].outputs == 3);
  CHECK(layers[0].last);
  CHECK(parameter_count(layers) == 10 * 3 + 3);
  CHECK(multiply_adds_per_row(layers) == 30);
  model.bias = false;
  CHECK(parameter_count(network_layout(model, {100, 10, 3, {}})) == 30);
}

TEST_CASE("an mlp goes through its hidden widths") {
  ModelOptions model;
  model.kind = ModelKind::mlp;
  model.hidden = {32, 16};
  const auto layers = network_layout(model, {1797, 64, 10, {}});
  REQUIRE(layers.size() == 3);
  CHECK(layers[1].inputs == 32);
  CHECK(layers[1].outputs == 16);
  CHECK_FALSE(layers[1].last);
  CHECK(layers[2].last);
  CHECK(parameter_count(layers) == 64 * 32 + 32 + 32 * 16 + 16 + 16 * 10 + 10);
}

TEST_CASE("a cnn halves its image at each convolution, rounding down") {
  ModelOptions model;
  model.kind = ModelKind::cnn;
  model.channels = {4, 6};
  model.kernel = 5;
  model.hidden = {20};
  const auto layers = network_layout(model, {100, 3 * 10 * 7, 2, {3, 10, 7}});
  REQUIRE(layers.size() == 4);
  CHECK(layers[0].kind == Layer::Kind::convolution);
  CHECK(layers[0].fan_in() == 3 * 25);
  CHECK(layers[0].fan_out() == 4 * 25);
  CHECK(layers[1].height == 5);
  CHECK(layers[1].width == 3);
  CHECK(layers[2].inputs == 6 * 2 * 1);
  CHECK(parameter_count(layers) == (4 * 75 + 4) + (6 * 100 + 6) + (12 * 20 + 20) + (20 * 2 + 2));
  CHECK(multiply_adds_per_row(layers) == 4 * 75 * 70 + 6 * 100 * 15 + 12 * 20 + 20 * 2);
}

TEST_CASE("a cnn without a fitting image is refused") {
  ModelOptions model;
  model.kind = ModelKind::cnn;
  model.channels = {4, 4};
  CHECK_THROWS_AS(network_layout(model, {100, 64, 10, {}}), UsageError);
  CHECK_THROWS_AS(network_layout(model, {100, 64, 10, {1, 8, 7}}), UsageError);
  CHECK_NOTHROW(network_layout(model, {100, 4 * 4, 10, {1, 4, 4}}));
  CHECK_THROWS_AS(network_layout(model, {100, 3 * 8, 10, {1, 3, 8}}), UsageError);
}
