// The kernel of fused_update.cl on GPUs, without LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/libtorch/fused_update_values.h"

/// The type of CUDA's streams.
struct CUstream_st;

namespace sheaf {

/// The arguments of the kernel: arrays [slots, stride] in the memory of a device, without gaps between slots.
struct FusedUpdate {
  bool is_double = false;  ///< the precision of all arrays
  std::int64_t slots = 0, stride = 0;
  void* parameters = nullptr;
  const void* gradients = nullptr;
  void* first = nullptr;
  void* second = nullptr;         ///< null: the optimizer has none
  void* averages = nullptr;       ///< null: there are none
  const void* numbers = nullptr;  ///< [slots, update_number_count]
  int optimizer = update_by_sgd;
  int fused = 0;  ///< a sum of update_fuses_products and update_fuses_means

  /// The number of groups for each slot. The kernel needs slots * slot_groups() groups of update_group_size items.
  int slot_groups() const {
    constexpr std::int64_t of_group = std::int64_t{update_group_size} * update_values_of_item;
    return static_cast<int>((stride + of_group - 1) / of_group);
  }
};

/// Starts the kernel in a stream of the current CUDA device; a CUDA graph that captures the stream gets it. Throws
/// std::runtime_error if it does not start, for example because this build has no code for the device.
void launch_fused_update(const FusedUpdate& update, CUstream_st* stream);

}  // namespace sheaf
