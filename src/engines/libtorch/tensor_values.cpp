// SPDX-License-Identifier: MIT
#include "engines/libtorch/tensor_values.hpp"

#include <cstdint>

namespace sheaf {

torch::Tensor of_slots(const torch::Tensor& all, const torch::Tensor& slots) {
  return all.defined() ? all.index({slots}) : all;
}

void put_tensor(const torch::Tensor& tensor, ByteWriter& state) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  state.put_array(static_cast<const char*>(plain.data_ptr()), static_cast<std::int64_t>(plain.nbytes()));
}

void get_tensor(ByteReader& state, const torch::Tensor& tensor) {
  const torch::NoGradGuard no_grad;
  torch::Tensor plain = torch::empty(tensor.sizes(), torch::TensorOptions(tensor.scalar_type()));
  state.get_array(static_cast<char*>(plain.data_ptr()), static_cast<std::int64_t>(plain.nbytes()));
  torch::Tensor(tensor).copy_(plain);
}

}  // namespace sheaf
