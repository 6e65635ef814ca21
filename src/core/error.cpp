// SPDX-License-Identifier: MIT
#include "core/error.hpp"

#include <new>

namespace sheaf {

void require(bool condition, const std::string& message) {
  if (!condition) throw RunError(message);
}

bool is_out_of_memory(const std::exception& error) noexcept {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const std::length_error*>(&error) != nullptr;  // a vector or string that is too long
}

const char* message_of(const std::exception& error) noexcept {
  return is_out_of_memory(error) ? "out of memory (an allocation failed). Use fewer ranks or lanes (run.lanes), a "
                                   "smaller model, batch or data set, or raise the memory limit (ulimit -v)."
                                 : error.what();
}

std::optional<std::string> failure_message(const std::exception_ptr& caught) {
  if (!caught) return std::nullopt;
  try {
    std::rethrow_exception(caught);
  } catch (const std::exception& error) {
    return message_of(error);
  }
}

}  // namespace sheaf
