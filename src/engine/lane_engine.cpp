// SPDX-License-Identifier: MIT
#include "engine/lane_engine.hpp"

#include "engine/memory_engine.hpp"
#include "engine/streamed_engine.hpp"

namespace sheaf {

std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device) {
  return context.stream == nullptr ? make_memory_engine(context, device) : make_streamed_engine(context, device);
}

}  // namespace sheaf
