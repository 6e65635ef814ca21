// The torch engine: LibTorch's modules, autograd and optimizers, one model at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// Threads that LibTorch and the BLAS library behind it use inside the calling lane, from now on. Each new thread
/// starts with as many as there are cores.
void set_lane_threads(int count);

/// Trains any network. `shared` is the data set that most trainings use, or null: on a GPU it is copied there once. To
/// be called in the lane's own thread. Throws RunError when the device cannot be used, and from the trainer when
/// LibTorch fails.
std::unique_ptr<Trainer> make_torch_trainer(LaneDevice device, const DataSet* shared);

}  // namespace sheaf
