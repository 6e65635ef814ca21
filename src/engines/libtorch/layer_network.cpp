// SPDX-License-Identifier: MIT
#include "engines/libtorch/layer_network.hpp"

#include <cassert>

#include "engines/libtorch/flat_parameters.hpp"

namespace sheaf {
namespace {

torch::Tensor pool(Layer::Pooling pooling, const torch::Tensor& values) {
  switch (pooling) {
    case Layer::Pooling::none:
      return values;
    case Layer::Pooling::halve:
      return torch::max_pool2d(values, 2);
    case Layer::Pooling::overlap:
      return torch::max_pool2d(values, 3, 2, 1);
    case Layer::Pooling::average:
      return torch::adaptive_avg_pool2d(values, {1, 1});
  }
  return values;
}

// Max pooling and relu can be exchanged without changing outputs or gradients. If pooling comes first, only a quarter
// of the values goes through relu.
bool is_rectified_after(Layer::Pooling pooling, Activation activation) {
  return activation == Activation::relu && (pooling == Layer::Pooling::halve || pooling == Layer::Pooling::overlap);
}

// Images [rows, channels, height, width] in channels-last memory format.
torch::Tensor channels_last(const torch::Tensor& images) {
  const std::int64_t height = images.size(2), width = images.size(3);
  // With one channel both formats are the same in memory; the strides select channels-last.
  if (images.size(1) == 1) return images.contiguous().as_strided(images.sizes(), {height * width, 1, width, 1});
  return images.contiguous(torch::MemoryFormat::ChannelsLast);
}

}  // namespace

LayerNetwork::LayerNetwork(const ModelOptions& model, const std::vector<Layer>& layers,
                           const std::vector<float>& weights, torch::Device device, Precision precision,
                           const FeatureScaling& scaling)
    : Network(precision), model_(model), channels_last_(device.is_cpu()) {
  assert(static_cast<std::int64_t>(weights.size()) == parameter_count(layers));
  const torch::NoGradGuard no_grad;
  FlatParameters flat(torch::tensor(weights).to(device, dtype_of(precision)));
  for (const auto& layer : layers) {
    Part part;
    part.layer = layer;
    if (layer.weight_count() > 0) part.weight = flat.next(weight_sizes(layer));
    if (layer.bias) part.bias = flat.next({layer.bias_count()});
    if (layer.kind == Layer::Kind::batch_norm) {
      part.running_mean = torch::zeros({layer.outputs}, flat.values().options());
      part.running_variance = torch::ones({layer.outputs}, flat.values().options());
      buffers_.insert(buffers_.end(), {part.running_mean, part.running_variance});
    }
    parts_.push_back(std::move(part));
  }
  parameters_ = flat.values();
  weights_ = flat.weights();
  if (!layers.empty() && layers.front().is_encoding()) set_encoding(layers.front(), scaling);
}

void LayerNetwork::set_encoding(const Layer& layer, const FeatureScaling& scaling) {
  const auto numbers = [&](const torch::Tensor& values) { return values.to(parameters_.options()); };
  const auto indices = [&](const std::vector<std::int64_t>& values) {
    return torch::tensor(values, torch::kInt64).to(parameters_.device());
  };
  const EncodingColumns columns = encoding_columns(layer);
  if (layer.piecewise_count() > 0) {
    const auto rows = [&](const std::vector<double>& values) {
      return numbers(torch::tensor(values, torch::kFloat64).view({layer.piecewise_count(), -1}));
    };
    const FeatureBins<double> bins = feature_bins<double>(scaling.edges);
    encoding_.inner = rows(bins.inner);
    encoding_.lower = rows(bins.lower);
    encoding_.width = rows(bins.width);
  }
  encoding_.piecewise_features = indices(columns.piecewise_features);
  encoding_.piecewise_rows = indices(columns.piecewise_rows);
  encoding_.lookup_features = indices(columns.lookup_features);
  encoding_.lookup_rows = indices(columns.lookup_rows);
  encoding_.other_features = indices(columns.other_features);
  encoding_.levels = numbers(torch::tensor(columns.levels, torch::kFloat32));
  encoding_.numbers = encoding_.levels.isnan();
  encoding_.empty_features = indices(columns.empty_features);
  encoding_.replacements = numbers(torch::tensor(scaling.replacements, torch::kFloat32));
}

torch::Tensor LayerNetwork::compute(const torch::Tensor& features, std::optional<TrainingStep> step) {
  torch::Tensor values = features, shortcut;
  for (std::size_t index = 0; index < parts_.size(); ++index) {
    const Layer& layer = parts_[index].layer;
    if (layer.begins_block) shortcut = values;
    torch::Tensor& target = layer.on_shortcut ? shortcut : values;
    target = apply(parts_[index], target, step.has_value());
    if (layer.ends_block) values = values + shortcut;
    const bool pools_first = layer.activated && is_rectified_after(layer.pooling, model_.activation);
    if (pools_first) values = pool(layer.pooling, values);
    if (layer.activated) values = activate(values);
    if (!pools_first) values = pool(layer.pooling, values);
    if (step && model_.dropout > 0 && layer.drops) values = drop(values, index, *step);
  }
  return values;
}

torch::Tensor LayerNetwork::apply(const Part& part, const torch::Tensor& values, bool training) const {
  const Layer& layer = part.layer;
  switch (layer.kind) {
    case Layer::Kind::dense:
      return torch::linear(values.flatten(1), part.weight, part.bias);
    case Layer::Kind::convolution: {
      const torch::Tensor images = values.view({-1, layer.inputs, layer.height, layer.width});
      return torch::conv2d(channels_last_ ? channels_last(images) : images, part.weight, part.bias, layer.stride,
                           layer.kernel / 2);
    }
    case Layer::Kind::batch_norm:
      return normalize(part, values, training);
    case Layer::Kind::layer_norm:
      return torch::layer_norm(values, {layer.outputs}, part.weight, part.bias, layer_norm_epsilon);
    case Layer::Kind::encoding:
      return encode(part, values);
  }
  return values;
}

// One-hot encoded codes are compared with each of their levels.
torch::Tensor LayerNetwork::encode(const Part& part, const torch::Tensor& all) const {
  const bool may_be_empty = encoding_.empty_features.numel() > 0;
  const torch::Tensor features = may_be_empty ? torch::where(all.isnan(), encoding_.replacements, all) : all;
  std::vector<torch::Tensor> outputs;
  if (encoding_.piecewise_features.numel() > 0) outputs.push_back(piecewise(part, features));
  if (encoding_.lookup_features.numel() > 0) {
    const torch::Tensor codes = features.index_select(1, encoding_.lookup_features).to(torch::kInt64);
    outputs.push_back(torch::embedding(part.weight, codes + encoding_.lookup_rows).flatten(1));
  }
  if (encoding_.other_features.numel() > 0) {
    const torch::Tensor others = features.index_select(1, encoding_.other_features);
    outputs.push_back(torch::where(encoding_.numbers, others, others.eq(encoding_.levels).to(others.scalar_type())));
  }
  if (may_be_empty) outputs.push_back(all.index_select(1, encoding_.empty_features).isnan().to(all.scalar_type()));
  return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 1);
}

// The two hat functions that are not 0 choose two rows of the weights, so that no product with zeros is computed.
torch::Tensor LayerNetwork::piecewise(const Part& part, const torch::Tensor& features) const {
  const torch::Tensor numbers = features.index_select(1, encoding_.piecewise_features);
  const torch::Tensor columns = numbers.t().contiguous();
  const torch::Tensor bins = torch::searchsorted(encoding_.inner, columns, false, true);  // [features, rows]
  const torch::Tensor distances = columns - encoding_.lower.gather(1, bins);
  const torch::Tensor places = (distances / encoding_.width.gather(1, bins)).clamp(0, 1).t().unsqueeze(2);
  const torch::Tensor edges = bins.t() + encoding_.piecewise_rows + 1;  // [rows, features]
  torch::Tensor outputs = numbers.unsqueeze(2) * part.weight.index_select(0, encoding_.piecewise_rows);
  outputs = outputs + (1 - places) * torch::embedding(part.weight, edges);
  outputs = (outputs + places * torch::embedding(part.weight, edges + 1)).flatten(1);
  return part.bias.defined() ? outputs + part.bias : outputs;
}

// A single row with a single pixel has no variance and would make the running variance infinite. In this case the
// running statistics are not updated.
torch::Tensor LayerNetwork::normalize(const Part& part, const torch::Tensor& values, bool training) {
  const bool uses_statistics = !training || values.numel() > part.layer.outputs;
  return torch::batch_norm(values, part.weight, part.bias, uses_statistics ? part.running_mean : torch::Tensor(),
                           uses_statistics ? part.running_variance : torch::Tensor(), training, batch_norm_momentum,
                           batch_norm_epsilon, true);
}

torch::Tensor LayerNetwork::activate(const torch::Tensor& values) const {
  switch (model_.activation) {
    case Activation::relu:
      return torch::relu(values);
    case Activation::tanh:
      return torch::tanh(values);
    case Activation::sigmoid:
      return torch::sigmoid(values);
    case Activation::gelu:
      return torch::gelu(values);  // the erf form
    case Activation::silu:
      return torch::silu(values);
    case Activation::leaky_relu:
      return torch::leaky_relu(values);  // slope 0.01
    case Activation::elu:
      return torch::elu(values);  // alpha 1
    case Activation::selu:
      return torch::selu(values);
    case Activation::mish:
      return torch::mish(values);
  }
  return values;
}

torch::Tensor LayerNetwork::drop(const torch::Tensor& values, std::size_t layer, TrainingStep step) const {
  torch::Tensor mask = torch::empty(values.sizes(), torch::kFloat32);
  draw_dropout_mask(step, layer, model_.dropout, 0, mask.data_ptr<float>(), mask.numel());
  mask = mask.to(values.device(), values.scalar_type()).mul_(1 / (1 - model_.dropout));
  return values * mask;
}

}  // namespace sheaf
