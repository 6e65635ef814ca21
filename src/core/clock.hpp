// A monotonic clock, for measurements and timeouts.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace sheaf {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

inline double seconds_since(Clock::time_point start) {
  return seconds_between(start, Clock::now());
}

}  // namespace sheaf
