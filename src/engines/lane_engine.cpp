// SPDX-License-Identifier: MIT
#include "engines/lane_engine.hpp"

#include "engines/memory_engine.hpp"
#include "engines/stacked_engine.hpp"
#include "engines/streamed_engine.hpp"
#include "study/study.hpp"

namespace sheaf {

std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device) {
  if (context.stream != nullptr) return make_streamed_engine(context, device);
  if (const StackSize& size = context.study.stack(); size.is_stack()) return make_stacked_engine(context, device, size);
  return make_memory_engine(context, device);
}

}  // namespace sheaf
