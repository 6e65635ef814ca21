// SPDX-License-Identifier: MIT
#include "core/thread_group.hpp"

#include <fmt/format.h>

#include <exception>

#include "core/error.hpp"

namespace sheaf {

void ThreadGroup::start(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  for (std::int64_t number = 0; number < count; ++number) {
    try {
      threads_.emplace_back([work, number] { work(number); });
    } catch (const std::exception& error) {  // system_error, or bad_alloc
      throw RunError(fmt::format(
          "Cannot start thread {} of {} for {} ({}). Raise the limit on threads (ulimit -u) or memory (ulimit "
          "-v), or use fewer lanes (run.lanes).",
          number + 1, count, purpose_, message_of(error)));
    }
  }
}

void ThreadGroup::join() {
  for (auto& thread : threads_)
    if (thread.joinable()) thread.join();
}

}  // namespace sheaf
