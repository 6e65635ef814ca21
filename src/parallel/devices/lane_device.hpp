// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// The device of a lane.
struct LaneDevice {
  int gpu = -1;          ///< CUDA device; -1: CPU
  int thread_count = 1;  ///< inside the lane, CPU only

  bool on_gpu() const { return gpu >= 0; }
};

}  // namespace sheaf
