// SPDX-License-Identifier: MIT
#include "core/event_count.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <limits>

namespace sheaf {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the bare number");

// No wake-up is lost: either this thread sees the sleeper, or the sleeper's futex call sees that the count has changed.
void EventCount::advance() {
  count_.fetch_add(1);
  if (sleepers_.load() > 0) syscall(SYS_futex, &count_, FUTEX_WAKE, std::numeric_limits<int>::max());
}

// Returns early when the thread receives a signal.
void EventCount::sleep(std::uint32_t count, std::chrono::nanoseconds longest) {
  constexpr std::int64_t second = 1'000'000'000;
  timespec time{};
  time.tv_sec = longest.count() / second;
  time.tv_nsec = longest.count() % second;
  sleepers_.fetch_add(1);
  syscall(SYS_futex, &count_, FUTEX_WAIT, count, &time);
  sleepers_.fetch_sub(1);
}

}  // namespace sheaf
