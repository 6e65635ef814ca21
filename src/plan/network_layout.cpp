// SPDX-License-Identifier: MIT
#include "plan/network_layout.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace sheaf {
namespace {

// The image that a cnn's convolutions leave.
struct FeatureMap {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

FeatureMap image_of(const DataShape& shape) {
  const ImageShape& image = shape.image;
  if (image.channels == 0)
    throw UsageError("a cnn needs images (the data set has no image shape). Set data.image to CxHxW.");
  if (image.channels * image.height * image.width != shape.features)
    throw UsageError(
        fmt::format("an image of {}x{}x{} has {} values, and the rows have {} features. Set data.image to "
                    "CxHxW with C * H * W = {}.",
                    image.channels, image.height, image.width, image.channels * image.height * image.width,
                    shape.features, shape.features));
  return {image.channels, image.height, image.width};
}

// Appends the convolutions; returns what they make of the image.
FeatureMap append_convolutions(const ModelOptions& model, const DataShape& shape, std::vector<Layer>& layers) {
  FeatureMap map = image_of(shape);
  for (const std::int64_t channels : model.channels) {
    layers.push_back(
        {Layer::Kind::convolution, map.channels, channels, model.kernel, map.height, map.width, model.bias, false});
    map = {channels, map.height / 2, map.width / 2};
  }
  if (map.height == 0 || map.width == 0)
    throw UsageError(
        fmt::format("an image of {}x{} is too small for {} convolutions (each halves it). Set fewer "
                    "model.channels or use larger images.",
                    shape.image.height, shape.image.width, model.channels.size()));
  return map;
}

}  // namespace

std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape) {
  std::vector<Layer> layers;
  std::int64_t inputs = shape.features;
  if (model.kind == ModelKind::cnn) {
    const FeatureMap map = append_convolutions(model, shape, layers);
    inputs = map.channels * map.height * map.width;
  }
  if (model.kind != ModelKind::linear) {
    for (const std::int64_t width : model.hidden) {
      layers.push_back({Layer::Kind::dense, inputs, width, 1, 1, 1, model.bias, false});
      inputs = width;
    }
  }
  layers.push_back({Layer::Kind::dense, inputs, shape.outputs, 1, 1, 1, model.bias, true});
  return layers;
}

std::int64_t parameter_count(const std::vector<Layer>& layers) {
  std::int64_t count = 0;
  for (const auto& layer : layers) count += layer.weight_count() + layer.bias_count();
  return count;
}

std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers) {
  std::int64_t count = 0;
  for (const auto& layer : layers) count += layer.multiply_adds_per_row();
  return count;
}

}  // namespace sheaf
