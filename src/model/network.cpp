// SPDX-License-Identifier: MIT
#include "model/network.hpp"

#include <cassert>

namespace sheaf {
namespace {

// A leaf for autograd over a piece of both flat tensors.
torch::Tensor parameter_view(const torch::Tensor& values, const torch::Tensor& gradients, std::int64_t offset,
                             const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  torch::Tensor view = values.narrow(0, offset, count).view(sizes).detach();
  view.set_requires_grad(true);
  view.mutable_grad() = gradients.narrow(0, offset, count).view(sizes).detach();
  return view;
}

std::vector<std::int64_t> weight_sizes(const Layer& layer) {
  if (layer.kind == Layer::Kind::dense) return {layer.outputs, layer.inputs};
  return {layer.outputs, layer.inputs, layer.kernel, layer.kernel};
}

}  // namespace

Network::Network(const ModelOptions& model, const std::vector<Layer>& layers, const std::vector<float>& weights,
                 torch::Device device, torch::ScalarType dtype)
    : model_(model) {
  assert(static_cast<std::int64_t>(weights.size()) == parameter_count(layers));
  const torch::NoGradGuard no_grad;
  parameters_ = torch::tensor(weights).to(device, dtype);
  const torch::Tensor gradients = torch::zeros_like(parameters_);
  parameters_.mutable_grad() = gradients;
  std::int64_t offset = 0;
  for (const auto& layer : layers) {
    Part part{layer, parameter_view(parameters_, gradients, offset, weight_sizes(layer)), {}};
    offset += layer.weight_count();
    if (layer.bias) part.bias = parameter_view(parameters_, gradients, offset, {layer.outputs});
    offset += layer.bias_count();
    parts_.push_back(std::move(part));
  }
}

torch::Tensor Network::forward(const torch::Tensor& features, std::optional<TrainingStep> step) const {
  torch::Tensor values = features;
  for (std::size_t index = 0; index < parts_.size(); ++index) {
    const auto& [layer, weight, bias] = parts_[index];
    if (layer.kind == Layer::Kind::convolution) {
      values = values.view({-1, layer.inputs, layer.height, layer.width});
      values = torch::conv2d(values, weight, bias, 1, layer.kernel / 2);
      values = torch::max_pool2d(activate(values), 2);
    } else {
      values = torch::linear(values.flatten(1), weight, bias);
      if (layer.last) break;
      values = activate(values);
      if (step && model_.dropout > 0) values = drop(values, index, *step);
    }
  }
  return values;
}

torch::Tensor Network::activate(const torch::Tensor& values) const {
  switch (model_.activation) {
    case Activation::relu:
      return torch::relu(values);
    case Activation::tanh:
      return torch::tanh(values);
    case Activation::sigmoid:
      return torch::sigmoid(values);
    case Activation::gelu:
      return torch::gelu(values);  // the erf form
  }
  return values;
}

torch::Tensor Network::drop(const torch::Tensor& values, std::size_t layer, TrainingStep step) const {
  torch::Tensor mask = torch::empty(values.sizes(), torch::kFloat32);
  draw_dropout_mask(step, layer, model_.dropout, 0, mask.data_ptr<float>(), mask.numel());
  mask = mask.to(values.device(), values.scalar_type()).mul_(1 / (1 - model_.dropout));
  return values * mask;
}

}  // namespace sheaf
