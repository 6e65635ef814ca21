// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "parallel/devices/lane_device.hpp"
#include "study/run_options.hpp"
#include "training/engine.hpp"
#include "training/engine_entry.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Makes an Engine that trains models together in stacks (training/stack_trainer.hpp) with stack_width() slots, if the
/// engine_of() their trials can do so, and the others one by one, as make_memory_engine() does. If a stack lacks
/// memory, its models get one with half of the slots. All iterations must have the same data set. Use it only in the
/// lane's own thread.
std::unique_ptr<Engine> make_stacked_engine(const TrainingContext& context, LaneDevice device, const StackSize& size);

/// The same with stacks made by `make_stack`, with `width` slots. By default, the engines make them.
using StackFactory = std::function<std::unique_ptr<StackTrainer>(const EngineEntry& engine, const StackShape& shape,
                                                                 std::int64_t width)>;
std::unique_ptr<Engine> make_stacked_engine(const TrainingContext& context, LaneDevice device, const StackSize& size,
                                            StackFactory make_stack);

}  // namespace sheaf
