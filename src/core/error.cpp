// SPDX-License-Identifier: MIT
#include "core/error.hpp"

namespace sheaf {

void require(bool condition, const std::string& message) {
  if (!condition) throw RunError(message);
}

}  // namespace sheaf
