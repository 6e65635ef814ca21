// SPDX-License-Identifier: MIT
#include "engines/lane_engine.hpp"

#include "engines/memory_engine.hpp"
#include "engines/streamed_engine.hpp"

namespace sheaf {

std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device) {
  return context.stream == nullptr ? make_memory_engine(context, device) : make_streamed_engine(context, device);
}

}  // namespace sheaf
