// SPDX-License-Identifier: MIT
#include "engines/libtorch/network.hpp"

#include "engines/libtorch/autocast.hpp"

namespace sheaf {

torch::ScalarType dtype_of(Precision precision) {
  return precision == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
}

torch::Tensor Network::forward(const torch::Tensor& features, std::optional<TrainingStep> step) {
  if (precision_ != Precision::bfloat16) return compute(features, step);
  const Autocast mixed(features.device().type());
  return compute(features, step).to(dtype_of(precision_));
}

void Network::set(const NetworkState& state) {
  const torch::NoGradGuard no_grad;
  parameters_.copy_(torch::tensor(state.parameters));
  const torch::Tensor numbers = torch::tensor(state.buffers, torch::kFloat64);
  std::int64_t used = 0;
  for (const torch::Tensor& buffer : buffers_) {
    torch::Tensor(buffer).copy_(numbers.narrow(0, used, buffer.numel()).view(buffer.sizes()));
    used += buffer.numel();
  }
}

}  // namespace sheaf
