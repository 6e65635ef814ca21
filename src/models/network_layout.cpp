// SPDX-License-Identifier: MIT
#include "models/network_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "models/resnet_layout.hpp"
#include "study/key_defaults.hpp"

namespace sheaf {
namespace {

ImageShape image_of(const DataShape& shape, const std::string& network) {
  const ImageShape& image = shape.image;
  if (image.channels == 0)
    throw UsageError(
        fmt::format("a {} needs images (the data set has no image shape). Set data.image to CxHxW.", network));
  if (image.channels * image.height * image.width != shape.features)
    throw UsageError(
        fmt::format("an image of {}x{}x{} has {} values, but the rows have {} features. Set data.image to CxHxW with "
                    "C * H * W = {}.",
                    image.channels, image.height, image.width, image.channels * image.height * image.width,
                    shape.features, shape.features));
  return image;
}

// Appends the convolutions of a cnn. Returns the shape of their output.
ImageShape append_convolutions(const ModelOptions& model, const DataShape& shape, std::vector<Layer>& layers) {
  ImageShape map = image_of(shape, "cnn");
  const auto convolutions = model.channels.value_or(std::vector<std::int64_t>{});
  for (const std::int64_t channels : convolutions) {
    Layer layer{Layer::Kind::convolution,
                map.channels,
                channels,
                model.kernel,
                map.height,
                map.width,
                model.bias && model.norm != Norm::batch};
    if (model.norm == Norm::batch) {
      layer.activated = false;
      layers.push_back(layer);
      layer = {Layer::Kind::batch_norm, channels, channels, 1, map.height, map.width};
    }
    layer.pooling = Layer::Pooling::halve;
    layers.push_back(layer);
    map = {channels, map.height / 2, map.width / 2};
  }
  if (map.height == 0 || map.width == 0)
    throw UsageError(
        fmt::format("an image of {}x{} is too small for {} convolutions (each halves it). Use fewer model.channels or "
                    "larger images.",
                    shape.image.height, shape.image.width, convolutions.size()));
  return map;
}

// Appends the hidden dense layers, each with its norm, and the output layer. A batch norm would cancel a bias before
// it.
void append_dense(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t outputs, bool bias,
                  Norm norm, std::vector<Layer>& layers) {
  for (const std::int64_t width : hidden) {
    layers.push_back({Layer::Kind::dense, inputs, width, 1, 1, 1, bias && norm != Norm::batch, norm == Norm::none});
    if (norm == Norm::layer) layers.push_back({Layer::Kind::layer_norm, width, width});
    if (norm == Norm::batch) layers.push_back({Layer::Kind::batch_norm, width, width});
    layers.back().drops = true;
    inputs = width;
  }
  layers.push_back({Layer::Kind::dense, inputs, outputs, 1, 1, 1, bias, false});
}

// Appends the embedding of the features, if the model has one. Returns the number of inputs of the next layer.
std::int64_t append_embedding(const ModelOptions& model, const DataShape& shape, std::vector<Layer>& layers) {
  const std::int64_t features = shape.features, passed = static_cast<std::int64_t>(shape.categories.size());
  if (!embeds(model) || passed == features) return features;
  Layer layer{Layer::Kind::piecewise_embedding, features, passed + embedding_width * (features - passed)};
  layer.bias = model.bias;
  layer.activated = false;
  layer.passed = shape.categories;
  layers.push_back(layer);
  return layer.outputs;
}

}  // namespace

bool has_layout(ModelKind kind) {
  return is_network(kind) && !is_user_module(kind);
}

std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape) {
  std::vector<Layer> layers;
  switch (model.kind) {
    case ModelKind::linear:
      append_dense(append_embedding(model, shape, layers), {}, shape.outputs, model.bias, Norm::none, layers);
      break;
    case ModelKind::mlp:
      append_dense(append_embedding(model, shape, layers), hidden_widths(model), shape.outputs, model.bias, model.norm,
                   layers);
      break;
    case ModelKind::cnn: {
      const ImageShape map = append_convolutions(model, shape, layers);
      append_dense(map.channels * map.height * map.width, hidden_widths(model), shape.outputs, model.bias, model.norm,
                   layers);
      break;
    }
    case ModelKind::resnet18:
      return resnet_layout(resnet18, image_of(shape, "resnet18"), shape.outputs, model.bias, model.stem);
    case ModelKind::resnet50:
      return resnet_layout(resnet50, image_of(shape, "resnet50"), shape.outputs, model.bias, model.stem);
    case ModelKind::automatic:
    case ModelKind::torchscript:
    case ModelKind::plugin:
    case ModelKind::boosted_trees:
      break;
  }
  return layers;
}

bool works_on_rows(const std::vector<Layer>& layers) {
  return !layers.empty() && std::all_of(layers.begin(), layers.end(), [](const Layer& layer) {
    return layer.kind == Layer::Kind::dense || layer.is_embedding() ||
           (layer.is_norm() && layer.height == 1 && layer.width == 1);
  });
}

std::vector<std::int64_t> weight_sizes(const Layer& layer) {
  switch (layer.kind) {
    case Layer::Kind::dense:
      return {layer.outputs, layer.inputs};
    case Layer::Kind::convolution:
      return {layer.outputs, layer.inputs, layer.kernel, layer.kernel};
    case Layer::Kind::batch_norm:
    case Layer::Kind::layer_norm:
      return {layer.outputs};
    case Layer::Kind::piecewise_embedding:
      return {layer.embedded(), 1 + max_edges, embedding_width};
  }
  return {};
}

std::vector<std::int64_t> first_edge_rows(const Layer& embedding) {
  std::vector<std::int64_t> rows;
  for (std::int64_t number = 0; number < embedding.embedded(); ++number) rows.push_back(number * (1 + max_edges) + 1);
  return rows;
}

std::int64_t parameter_count(const std::vector<Layer>& layers) {
  std::int64_t count = 0;
  for (const auto& layer : layers) count += layer.weight_count() + layer.bias_count();
  return count;
}

std::int64_t buffer_count(const std::vector<Layer>& layers) {
  std::int64_t count = 0;
  for (const auto& layer : layers)
    if (layer.kind == Layer::Kind::batch_norm) count += 2 * layer.outputs;
  return count;
}

std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers) {
  std::int64_t count = 0;
  for (const auto& layer : layers) count += layer.multiply_adds_per_row();
  return count;
}

}  // namespace sheaf
