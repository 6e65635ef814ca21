// Lets threads sleep until another thread, possibly of another process, reports a change.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sheaf {

/// Counts changes that other threads wait for. Waiting threads sleep in the kernel and use no CPU time. Works in memory
/// shared by processes: zeroed memory is a valid EventCount without waiting threads, and a process may end while it
/// waits. Thread-safe. Sources: futex(2) for the idea; Reed and Kanodia, Communications of the ACM 22 (1979), for the
/// name.
class EventCount {
 public:
  /// Wakes all waiting threads. Call it after the change. The change and the `ready` of wait_for must use sequentially
  /// consistent atomics.
  void advance();

  /// Sleeps until `ready()` is true, for at most `longest`. Calls `ready` first and then after each advance(), even if
  /// the change is unrelated. Returns the last value of `ready()`.
  template <class Ready>
  bool wait_for(std::chrono::nanoseconds longest, const Ready& ready) {
    const auto end = std::chrono::steady_clock::now() + longest;
    for (;;) {
      const std::uint32_t before = count_.load();
      if (ready()) return true;
      const std::chrono::nanoseconds left = end - std::chrono::steady_clock::now();
      if (left.count() <= 0) return false;
      sleep(before, left);
    }
  }

 private:
  void sleep(std::uint32_t count, std::chrono::nanoseconds longest);

  std::atomic<std::uint32_t> count_{0}, sleepers_{0};
};

}  // namespace sheaf
