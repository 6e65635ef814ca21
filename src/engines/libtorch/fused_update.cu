// SPDX-License-Identifier: MIT
#include "engines/libtorch/fused_update.hpp"

#include <stdexcept>
#include <string>

#include "engines/libtorch/fused_update.cl"

namespace sheaf {
namespace {

template <class Real, class Kernel>
void launch(Kernel kernel, const FusedUpdate& update, CUstream_st* stream) {
  const auto values = [](void* array) { return static_cast<Real*>(array); };
  const auto constants = [](const void* array) { return static_cast<const Real*>(array); };
  const int slot_groups = update.slot_groups();
  kernel<<<static_cast<unsigned>(update.slots * slot_groups), update_group_size, 0, stream>>>(
      values(update.parameters), constants(update.gradients), values(update.first), values(update.second),
      values(update.averages), constants(update.numbers), update.stride, slot_groups, update.optimizer, update.fused);
}

}  // namespace

void launch_fused_update(const FusedUpdate& update, CUstream_st* stream) {
  if (update.is_double)
    launch<double>(fused_update_float64, update, stream);
  else
    launch<float>(fused_update_float32, update, stream);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    throw std::runtime_error(std::string("the kernel did not start: ") + cudaGetErrorString(error));
}

}  // namespace sheaf
