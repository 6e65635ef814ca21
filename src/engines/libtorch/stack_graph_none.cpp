// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_graph.hpp"

namespace sheaf {

std::unique_ptr<RecordedWork> record_work(const StackWork& /*work*/, const RecordedWork* /*other*/) {
  return nullptr;
}

}  // namespace sheaf
