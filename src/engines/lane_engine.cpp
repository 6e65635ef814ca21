// SPDX-License-Identifier: MIT
#include "engines/lane_engine.hpp"

#include <functional>
#include <utility>

#include "engines/engine_choice.hpp"
#include "engines/gpu_lane_engine.hpp"
#include "engines/memory_engine.hpp"
#include "engines/stacked_engine.hpp"
#include "engines/streamed_engine.hpp"
#include "study/study.hpp"
#include "training/stack_width.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

std::unique_ptr<Engine> engine_in_memory(const TrainingContext& context, LaneDevice device) {
  const StackSize size = stack_size_of(context.study);
  const auto has_stacks = [&] {
    const DataShape shape = shape_of(context.data, context.study->data);
    return !stacking_obstacle(context.plan, shape, context.study.engine(), device);
  };
  if (size.is_stack() && has_stacks()) return make_stacked_engine(context, device, size);
  return make_memory_engine(context, device);
}

bool may_train_on_cores(const TrainingContext& context) {
  const RunOptions& run = context.study->run;
  return run.device == automatic &&
         can_train(context.plan, shape_of(context.data, context.study->data), run, core_lane);
}

}  // namespace

std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device) {
  const bool is_streamed = context.stream != nullptr;
  auto engine = is_streamed ? make_streamed_engine(context, device) : engine_in_memory(context, device);
  if (!device.on_gpu()) return engine;
  std::function<std::unique_ptr<Engine>()> make_on_core;  // null: a GPU that fails ends the job
  if (!is_streamed && may_train_on_cores(context))
    make_on_core = [context] { return engine_in_memory(context, core_lane); };
  return make_gpu_lane_engine(std::move(engine), std::move(make_on_core));
}

}  // namespace sheaf
