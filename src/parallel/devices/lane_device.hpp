// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// The device of a lane.
struct LaneDevice {
  int gpu = -1;          ///< CUDA device; -1: CPU
  int thread_count = 1;  ///< inside the lane, CPU only

  bool on_gpu() const { return gpu >= 0; }
};

/// Lanes of the two kinds, where it does not matter which GPU or how many threads they have.
inline constexpr LaneDevice gpu_lane{0, 1}, core_lane{-1, 1};

}  // namespace sheaf
