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

}  // namespace sheaf
