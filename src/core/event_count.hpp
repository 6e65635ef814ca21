// Sleeping until something changes, among threads of any processes.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sheaf {

/// Counts changes to what others wait for. Who waits sleeps in the kernel and takes no time of those who compute. May
/// lie in memory that processes share, where zeros are one that nobody waits for; a process that ends while it waits
/// costs the others nothing. Thread-safe. Source of the idea: futex(2); the name: Reed and Kanodia, Communications of
/// the ACM 22 (1979).
class EventCount {
 public:
  /// Wakes all who wait. After the change; that and `ready` of wait_for use sequentially consistent atomics.
  void advance();

  /// Sleeps until `ready()`, `longest` at most; it is asked at once and after each advance(), also by others' changes.
  /// Returns what it said last.
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
