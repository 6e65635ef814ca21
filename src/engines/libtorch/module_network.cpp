// SPDX-License-Identifier: MIT
#include "engines/libtorch/module_network.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "engines/libtorch/flat_parameters.hpp"

namespace sheaf {

void ModuleNetwork::adopt(const std::vector<torch::Tensor>& parameters, const std::vector<torch::Tensor>& buffers,
                          torch::Device device) {
  const torch::NoGradGuard no_grad;
  const auto move = [&](const torch::Tensor& tensor) {
    tensor.set_data(tensor.to(device, tensor.is_floating_point() ? dtype_ : tensor.scalar_type()));
  };
  std::vector<torch::Tensor> trained, pieces;
  for (const auto& parameter : parameters) {
    const bool known =
        std::any_of(trained.begin(), trained.end(), [&](const auto& one) { return one.is_same(parameter); });
    if (known) continue;  // shared by several layers
    move(parameter);
    if (!parameter.requires_grad()) continue;
    trained.push_back(parameter);
    pieces.push_back(parameter.detach().flatten());
  }
  require(
      !trained.empty(),
      "a module has no parameters to train (none requires a gradient; torch.jit.freeze makes them constants). Use a "
      "module with trainable parameters.");
  FlatParameters flat(torch::cat(pieces));
  for (auto& parameter : trained) {
    const torch::Tensor leaf = flat.next(parameter.sizes());
    parameter.set_data(leaf.detach());
    parameter.mutable_grad() = leaf.grad();
  }
  parameters_ = flat.values();
  weights_ = flat.weights();
  buffers_ = buffers;
  for (const auto& buffer : buffers_) move(buffer);
}

torch::Tensor ModuleNetwork::compute(const torch::Tensor& features, std::optional<TrainingStep> step) {
  if (training_ != step.has_value()) set_training(step.has_value());
  training_ = step.has_value();
  return run(image_.channels == 0 ? features : features.view({-1, image_.channels, image_.height, image_.width}), step);
}

}  // namespace sheaf
