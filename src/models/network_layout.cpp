// SPDX-License-Identifier: MIT
#include "models/network_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

EncodedFeature encoded(std::int64_t feature, const FeatureKind& kind, const ModelOptions& model) {
  using Use = EncodedFeature::Use;
  if (!kind.is_category()) {
    EncodedFeature number{feature, embeds_numbers(model) ? Use::piecewise : Use::number};
    number.may_be_empty = kind.has_empty_cells;
    return number;
  }
  const auto empty = static_cast<std::int64_t>(no_category);
  if (embeds_categories(model) && kind.categories > max_one_hot_categories)
    return {feature, Use::lookup, kind.categories - empty, empty, !kind.has_empty_cells};
  const std::int64_t first_code = kind.has_empty_cells ? empty : 0;
  return {feature, Use::one_hot, kind.categories - first_code, first_code};
}

// Appends the encoding of the features, if one is needed. Returns the number of inputs of the next layer.
std::int64_t append_encoding(const ModelOptions& model, const DataShape& shape, std::vector<Layer>& layers) {
  using Use = EncodedFeature::Use;
  std::vector<EncodedFeature> features;
  for (std::int64_t feature = 0; feature < shape.features; ++feature) {
    const bool known = !shape.kinds.empty();
    features.push_back(encoded(feature, known ? shape.kinds[static_cast<std::size_t>(feature)] : FeatureKind(), model));
  }
  const auto is = [](Use use) { return [use](const EncodedFeature& one) { return one.use == use; }; };
  for (std::int64_t feature = 0; feature < shape.features; ++feature)
    if (features[static_cast<std::size_t>(feature)].may_be_empty) features.push_back({feature, Use::empty});
  if (std::all_of(features.begin(), features.end(), is(Use::number))) return shape.features;
  const auto others = std::stable_partition(features.begin(), features.end(), is(Use::piecewise));
  std::stable_partition(others, features.end(), is(Use::lookup));
  Layer layer{Layer::Kind::encoding, shape.features};
  std::int64_t row = 0;
  for (EncodedFeature& one : features) {
    one.first_output = layer.outputs;
    one.first_row = row;
    layer.outputs += one.outputs();
    row += one.weight_rows();
  }
  layer.features = std::move(features);
  layer.bias = model.bias && layer.piecewise_count() > 0;
  layer.activated = false;
  layers.push_back(std::move(layer));
  return layers.back().outputs;
}

}  // namespace

bool has_layout(ModelKind kind) {
  return is_network(kind) && !is_user_module(kind);
}

std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape) {
  std::vector<Layer> layers;
  switch (model.kind) {
    case ModelKind::linear:
      append_dense(append_encoding(model, shape, layers), {}, shape.outputs, model.bias, Norm::none, layers);
      break;
    case ModelKind::mlp:
      append_dense(append_encoding(model, shape, layers), hidden_widths(model), shape.outputs, model.bias, model.norm,
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
    case ModelKind::torchscript:
    case ModelKind::plugin:
    case ModelKind::boosted_trees:
      break;
  }
  return layers;
}

bool works_on_rows(const std::vector<Layer>& layers) {
  return !layers.empty() && std::all_of(layers.begin(), layers.end(), [](const Layer& layer) {
    return layer.kind == Layer::Kind::dense || layer.is_encoding() ||
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
    case Layer::Kind::encoding:
      return {layer.weight_rows(), embedding_width};
  }
  return {};
}

EncodingColumns encoding_columns(const Layer& encoding) {
  EncodingColumns columns;
  for (const EncodedFeature& one : encoding.features) switch (one.use) {
      case EncodedFeature::Use::piecewise:
        columns.piecewise_features.push_back(one.feature);
        columns.piecewise_rows.push_back(one.first_row);
        break;
      case EncodedFeature::Use::lookup:
        columns.lookup_features.push_back(one.feature);
        columns.lookup_rows.push_back(one.first_row - one.first_code);
        break;
      case EncodedFeature::Use::number:
        columns.other_features.push_back(one.feature);
        columns.levels.push_back(std::numeric_limits<float>::quiet_NaN());
        break;
      case EncodedFeature::Use::empty:
        columns.empty_features.push_back(one.feature);
        break;
      case EncodedFeature::Use::one_hot:
        for (std::int64_t level = 0; level < one.levels; ++level) {
          columns.other_features.push_back(one.feature);
          columns.levels.push_back(static_cast<float>(one.first_code + level));
        }
        break;
    }
  return columns;
}

std::vector<bool> features_that_may_be_empty(const std::vector<Layer>& layers) {
  if (layers.empty() || !layers.front().is_encoding()) return {};
  std::vector<bool> may_be_empty(static_cast<std::size_t>(layers.front().inputs));
  for (const EncodedFeature& one : layers.front().features)
    if (one.use == EncodedFeature::Use::empty) may_be_empty[static_cast<std::size_t>(one.feature)] = true;
  return may_be_empty;
}

FeatureScaling scaling_for(const std::vector<Layer>& layers, FeatureScaling scaling) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<bool> may_be_empty = features_that_may_be_empty(layers);
  if (std::find(may_be_empty.begin(), may_be_empty.end(), true) == may_be_empty.end()) return scaling;
  scaling.replacements.assign(may_be_empty.size(), none);
  for (std::size_t feature = 0; feature < may_be_empty.size(); ++feature) {
    if (!may_be_empty[feature]) continue;
    const bool is_known = feature < scaling.fill.size() && !std::isnan(scaling.fill[feature]);
    scaling.replacements[feature] = is_known ? scaled_value(scaling, feature, scaling.fill[feature]) : 0;
    if (is_known) scaling.fill[feature] = none;
  }
  return scaling;
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

std::int64_t active_inputs(const std::vector<Layer>& layers, std::size_t index) {
  if (index == 0 || !layers[index - 1].is_encoding()) return layers[index].inputs;
  std::int64_t count = 0;
  for (const EncodedFeature& feature : layers[index - 1].features)
    count += feature.use == EncodedFeature::Use::one_hot ? 1 : feature.outputs();
  return count;
}

std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers) {
  std::int64_t count = 0;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const bool is_encoded = index > 0 && layers[index - 1].is_encoding();
    count += is_encoded ? active_inputs(layers, index) * layers[index].outputs : layers[index].multiply_adds_per_row();
  }
  return count;
}

}  // namespace sheaf
