// The torch engine trains one model at a time with LibTorch's modules, autograd and optimizers.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// Sets the number of threads that LibTorch and its BLAS library use in the calling lane. The default for each new
/// thread is the number of cores.
void set_lane_threads(int count);

/// Makes a trainer for all kinds of networks. `shared`: the data set that most trainings use, or null; it is copied to
/// a GPU once. Call this in the lane's own thread. Throws RunError if the device cannot be used. The trainer throws
/// RunError if LibTorch fails.
std::unique_ptr<Trainer> make_torch_trainer(LaneDevice device, const DataSet* shared);

}  // namespace sheaf
