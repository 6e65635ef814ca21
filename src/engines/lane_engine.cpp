// SPDX-License-Identifier: MIT
#include "engines/lane_engine.hpp"

#include "engines/memory_engine.hpp"
#include "engines/stacked_engine.hpp"
#include "engines/streamed_engine.hpp"
#include "study/study.hpp"

namespace sheaf {

std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device) {
  const RunOptions& run = context.study->run;
  if (context.stream != nullptr) return make_streamed_engine(context, device);
  if (run.stack && run.stack->is_stack()) return make_stacked_engine(context, device, *run.stack);
  return make_memory_engine(context, device);
}

}  // namespace sheaf
