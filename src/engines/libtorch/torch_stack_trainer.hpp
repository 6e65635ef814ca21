// The stacks of the torch engine: networks of one shape that are trained together (StackTraining).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "data/dataset.hpp"
#include "parallel/devices/lane_device.hpp"
#include "training/stack_shape.hpp"
#include "training/stack_trainer.hpp"

namespace sheaf {

/// Makes a trainer of `width` models of a shape that stack_refusal() accepts, on the rows of `shared`, which are in
/// memory and must outlive it; a GPU gets one copy of them for all lanes. On a CPU it uses one thread. Call this in the
/// lane's own thread. Throws RunError if the device cannot be used. The trainer throws RunError if LibTorch fails.
/// `ahead`: whether a second thread prepares batches while others are trained; if not given, on a GPU.
std::unique_ptr<StackTrainer> make_torch_stack_trainer(LaneDevice device, const DataSet& shared,
                                                       const StackShape& shape, std::int64_t width,
                                                       std::optional<bool> ahead = std::nullopt);

}  // namespace sheaf
