// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// The device on which a lane trains.
struct LaneDevice {
  int gpu = -1;          ///< CUDA device; -1: CPU
  int thread_count = 1;  ///< threads of the lane, on the CPU only

  bool on_gpu() const { return gpu >= 0; }
};

/// A GPU lane and a CPU lane, for uses that do not depend on the GPU number or the thread count.
inline constexpr LaneDevice gpu_lane{0, 1}, core_lane{-1, 1};

}  // namespace sheaf
