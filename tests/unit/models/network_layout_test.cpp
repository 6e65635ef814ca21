// SPDX-License-Identifier: MIT
#include "models/network_layout.hpp"

#include <cmath>

#include "core/error.hpp"
#include "models/resnet_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("a linear model is one dense layer, regardless of model.hidden") {
  ModelOptions model = test::plain_model();
  model.hidden = {5};
  const auto layers = network_layout(model, {100, 10, 3, {}});
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].kind == Layer::Kind::dense);
  CHECK(layers[0].inputs == 10);
  CHECK(layers[0].outputs == 3);
  CHECK_FALSE(layers[0].activated);
  CHECK(parameter_count(layers) == 10 * 3 + 3);
  CHECK(multiply_adds_per_row(layers) == 30);
  model.bias = false;
  CHECK(parameter_count(network_layout(model, {100, 10, 3, {}})) == 30);
}

TEST_CASE("an mlp has one dense layer per hidden width and one for the outputs") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {32, 16};
  const auto layers = network_layout(model, {1797, 64, 10, {}});
  REQUIRE(layers.size() == 3);
  CHECK(layers[1].inputs == 32);
  CHECK(layers[1].outputs == 16);
  CHECK(layers[1].activated);
  CHECK_FALSE(layers[2].activated);
  CHECK(parameter_count(layers) == 64 * 32 + 32 + 32 * 16 + 16 + 16 * 10 + 10);
}

TEST_CASE("a cnn with batch norms has one between each convolution or hidden dense layer and its activation") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::cnn;
  model.channels = {4, 6};
  model.hidden = {16};
  model.norm = Norm::batch;
  const auto layers = network_layout(model, {1797, 64, 10, {1, 8, 8}});
  REQUIRE(layers.size() == 7);
  for (const std::size_t index : {1, 3, 5}) {
    CHECK(layers[index - 1].kind == (index < 5 ? Layer::Kind::convolution : Layer::Kind::dense));
    CHECK_FALSE(layers[index - 1].activated);
    CHECK(layers[index - 1].pooling == Layer::Pooling::none);
    CHECK(layers[index].kind == Layer::Kind::batch_norm);
    CHECK(layers[index].activated);
    CHECK((layers[index].pooling == Layer::Pooling::halve) == (index < 5));
    CHECK(layers[index].outputs == layers[index - 1].outputs);
  }
  CHECK(layers[4].inputs == 6 * 2 * 2);
  CHECK_FALSE(works_on_rows(layers));
  CHECK(buffer_count(layers) == 2 * (4 + 6 + 16));
  CHECK(works_on_rows({layers[4], layers[5], layers[6]}));
  CHECK(layers[5].drops);
  CHECK(parameter_count(layers) == 4 * 9 + 2 * 4 + 6 * 4 * 9 + 2 * 6 + 24 * 16 + 2 * 16 + 16 * 10 + 10);
  model.norm = Norm::layer;  // of the dense layers only
  CHECK(network_layout(model, {1797, 64, 10, {1, 8, 8}}).size() == 5);
}

TEST_CASE("an mlp with layer norms has one between each hidden dense layer and its activation") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {32, 16};
  model.norm = Norm::layer;
  model.bias = false;  // of the dense layers
  const auto layers = network_layout(model, {1797, 64, 10, {}});
  REQUIRE(layers.size() == 5);
  for (const std::size_t index : {1, 3}) {
    CHECK(layers[index - 1].kind == Layer::Kind::dense);
    CHECK_FALSE(layers[index - 1].activated);
    CHECK_FALSE(layers[index - 1].drops);
    CHECK(layers[index].kind == Layer::Kind::layer_norm);
    CHECK(layers[index].activated);
    CHECK(layers[index].drops);
  }
  CHECK_FALSE(layers[4].activated);
  CHECK_FALSE(layers[4].drops);
  CHECK(parameter_count(layers) == 64 * 32 + 2 * 32 + 32 * 16 + 2 * 16 + 16 * 10);
  CHECK(multiply_adds_per_row(layers) == 64 * 32 + 32 * 16 + 16 * 10);
  CHECK(works_on_rows(layers));
  model.kind = ModelKind::linear;
  CHECK(network_layout(model, {1797, 64, 10, {}}).size() == 1);
}

TEST_CASE("a cnn halves its image at each convolution, rounding down") {
  ModelOptions model = test::plain_model();
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

TEST_CASE("a cnn without a suitable image shape is refused") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::cnn;
  model.channels = {4, 4};
  CHECK_THROWS_AS(network_layout(model, {100, 64, 10, {}}), UsageError);
  CHECK_THROWS_AS(network_layout(model, {100, 64, 10, {1, 8, 7}}), UsageError);
  CHECK_NOTHROW(network_layout(model, {100, 4 * 4, 10, {1, 4, 4}}));
  CHECK_THROWS_AS(network_layout(model, {100, 3 * 8, 10, {1, 3, 8}}), UsageError);
}

namespace {

ModelOptions resnet(ModelKind kind) {
  ModelOptions model = test::plain_model();
  model.kind = kind;
  return model;
}

DataShape images(std::int64_t side, std::int64_t outputs) {
  return {100, 3 * side * side, outputs, {3, side, side}};
}

}  // namespace

TEST_CASE("a resnet has the same numbers of parameters and multiply-adds as torchvision's") {
  const auto small = network_layout(resnet(ModelKind::resnet18), images(224, 1000));
  CHECK(parameter_count(small) == 11689512);
  CHECK(multiply_adds_per_row(small) == 1814073344);
  const auto large = network_layout(resnet(ModelKind::resnet50), images(224, 1000));
  CHECK(parameter_count(large) == 25557032);
  CHECK(multiply_adds_per_row(large) == 4089184256);
}

TEST_CASE("the stem of a resnet does not shrink small images") {
  const auto full = network_layout(resnet(ModelKind::resnet18), images(64, 10));
  CHECK(full[0].kernel == 7);
  CHECK(full[1].pooling == Layer::Pooling::overlap);
  CHECK(full[2].height == 16);
  const auto small = network_layout(resnet(ModelKind::resnet18), images(63, 10));
  CHECK(small[0].kernel == 3);
  CHECK(small[2].height == 63);
  CHECK(parameter_count(small) == parameter_count(full) - 64 * 3 * (49 - 9));
}

TEST_CASE("model.stem selects the stem of a resnet for images of any size") {
  ModelOptions model = resnet(ModelKind::resnet18);
  for (const std::int64_t side : {32, 64}) {
    model.stem = Stem::imagenet;
    const Layer full = network_layout(model, images(side, 10)).front();
    CHECK(full.kernel == 7);
    CHECK(full.stride == 2);
    model.stem = Stem::small;
    const Layer small = network_layout(model, images(side, 10)).front();
    CHECK(small.kernel == 3);
    CHECK(small.stride == 1);
  }
  CHECK(resnet_stem(automatic, {3, 64, 80}) == Stem::imagenet);
  CHECK(resnet_stem(automatic, {3, 80, 63}) == Stem::small);
  CHECK(resnet_stem_text(automatic, {3, 32, 32}) == "small stem, 3x3 with stride 1");
}

TEST_CASE("the blocks of resnet50 have the numbers, strides and shortcuts of He et al.") {
  const auto layers = network_layout(resnet(ModelKind::resnet50), images(224, 10));
  std::int64_t begins = 0, ends = 0, shortcuts = 0, strided = 0;
  for (const auto& layer : layers) {
    begins += layer.begins_block;
    ends += layer.ends_block;
    shortcuts += layer.on_shortcut;
    strided += layer.stride == 2 && !layer.on_shortcut;
    if (layer.stride == 2 && !layer.on_shortcut) CHECK((layer.kernel == 3 || layer.inputs == 3));
    if (layer.ends_block) CHECK(layer.activated);
  }
  CHECK(begins == 3 + 4 + 6 + 3);
  CHECK(ends == begins);
  CHECK(shortcuts == 2 * 4);  // one convolution and one batch norm per stage
  CHECK(strided == 1 + 3);
  const Layer& last = layers[layers.size() - 2];
  CHECK(last.pooling == Layer::Pooling::average);
  CHECK(last.outputs == 2048);
  CHECK(last.height == 7);
  CHECK_FALSE(layers.back().activated);
}

TEST_CASE("a resnet without images is refused, and a model from a file has no layers") {
  CHECK_THROWS_AS(network_layout(resnet(ModelKind::resnet18), {100, 64, 10, {}}), UsageError);
  CHECK(network_layout(resnet(ModelKind::torchscript), {100, 64, 10, {}}).empty());
}

TEST_CASE("an encoding has functions of each number, and one output for each category") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {16};
  model.embedding = Embedding::piecewise;
  model.categories = CategoryEncoding::one_hot;
  const DataShape shape{100, 4, 3, {}, {{}, {2, false}, {20, true}, {}}};
  const auto layers = network_layout(model, shape);
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].kind == Layer::Kind::encoding);
  CHECK(layers[0].inputs == 4);
  CHECK(layers[0].piecewise_count() == 2);
  CHECK(layers[0].outputs == 2 * 8 + 2 + 21);
  CHECK_FALSE(layers[0].activated);
  CHECK(weight_sizes(layers[0]) == std::vector<std::int64_t>{2 * 50, 8});
  CHECK(layers[1].inputs == layers[0].outputs);
  CHECK(parameter_count(layers) == 2 * 50 * 8 + 2 * 8 + 39 * 16 + 16 + 16 * 3 + 3);
  CHECK(active_inputs(layers, 1) == 2 * 8 + 2);
  CHECK(active_inputs(layers, 2) == 16);
  CHECK(multiply_adds_per_row(layers) == 2 * 3 * 8 + (2 * 8 + 2) * 16 + 16 * 3);
  CHECK(works_on_rows(layers));
  const EncodingColumns columns = encoding_columns(layers[0]);
  CHECK(columns.piecewise_features == std::vector<std::int64_t>{0, 3});
  CHECK(columns.piecewise_rows == std::vector<std::int64_t>{0, 50});
  CHECK(columns.other_features.size() == 23);
  CHECK(columns.levels[1] == 1);
  CHECK(columns.levels[2] == no_category);
  model.bias = false;
  CHECK(parameter_count(network_layout(model, shape)) == 2 * 50 * 8 + 39 * 16 + 16 * 3);
  model.kind = ModelKind::linear;
  CHECK(network_layout(model, {100, 5, 3, {}}).size() == 2);
  CHECK(network_layout(model, {100, 2, 3, {}, {{2, false}, {3, false}}})[0].weight_count() == 0);  // no numbers
  model.kind = ModelKind::cnn;
  model.channels = {4};
  CHECK_FALSE(network_layout(model, {100, 64, 3, {1, 8, 8}}).front().is_encoding());
}

TEST_CASE("categories of columns with many of them are looked up, and without any there is no encoding") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = std::vector<std::int64_t>();
  const auto layers = network_layout(model, {100, 4, 3, {}, {{}, {10, false}, {9, true}, {30, true}}});
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].lookup_count() == 2);
  CHECK(layers[0].outputs == 2 * 8 + 1 + 10);
  CHECK(layers[0].weight_count() == (11 + 31) * 8);
  CHECK_FALSE(layers[0].bias);
  const auto& features = layers[0].features;
  CHECK((features[0].feature == 1 && features[0].has_unknown_level));
  CHECK((features[1].feature == 3 && !features[1].has_unknown_level && features[1].first_row == 11));
  CHECK((features[2].feature == 0 && features[2].first_output == 16));
  const EncodingColumns columns = encoding_columns(layers[0]);
  CHECK(columns.lookup_features == std::vector<std::int64_t>{1, 3});
  CHECK(columns.lookup_rows == std::vector<std::int64_t>{1, 12});
  CHECK(std::isnan(columns.levels[0]));
  CHECK(network_layout(model, {100, 2, 3, {}, {{}, {}}}).size() == 1);
  model.kind = ModelKind::linear;
  CHECK(network_layout(model, {100, 1, 3, {}, {{10, false}}})[0].lookup_count() == 0);
}

TEST_CASE("numbers that may be empty have an input for their empty cells, which are not filled then") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::linear;
  model.embedding = GENERATE(Embedding::none, Embedding::piecewise);
  const std::vector<Layer> layers = network_layout(model, {100, 3, 2, {}, {{}, {0, true}, {4, true}}});
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].empty_count() == 1);
  CHECK(layers[0].outputs == (embeds_numbers(model) ? 16 : 2) + 5 + 1);
  CHECK(layers[0].features.back().feature == 1);
  CHECK(encoding_columns(layers[0]).empty_features == std::vector<std::int64_t>{1});
  CHECK(features_that_may_be_empty(layers) == std::vector<bool>{false, true, false});
  FeatureScaling scaling;
  scaling.fill = {1, 2, 3};
  scaling.shift = {0, 1, 0};
  scaling.scale = {1, 4, 1};
  const FeatureScaling changed = scaling_for(layers, scaling);
  CHECK((changed.fill[0] == 1 && std::isnan(changed.fill[1]) && changed.fill[2] == 3));
  CHECK((std::isnan(changed.replacements[0]) && changed.replacements[1] == 4 && std::isnan(changed.replacements[2])));
  CHECK(scaling_for({layers[1]}, scaling).replacements.empty());
  CHECK(features_that_may_be_empty({}).empty());
  CHECK(scaling_for({layers[1]}, scaling).fill == scaling.fill);
}
