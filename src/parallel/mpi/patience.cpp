// SPDX-License-Identifier: MIT
#include "parallel/mpi/patience.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace sheaf {

void wait_patiently(const std::function<bool()>& is_done, const WhileWaiting& while_waiting) {
  constexpr double share = 0.01, shortest_seconds = 100e-6, longest_seconds = 20e-3;
  constexpr double longest_step_seconds = 1;  // a longer step means that this process was suspended
  double waited = 0;
  for (auto checked_at = Clock::now(); !is_done();) {
    const auto now = Clock::now();
    waited += std::min(seconds_between(checked_at, now), longest_step_seconds);
    checked_at = now;
    const double pause = std::min(std::clamp(share * waited, shortest_seconds, longest_seconds), while_waiting(waited));
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
}

WhileWaiting at_most(double timeout_seconds, const std::string& message) {
  return [=](double waited_seconds) {
    if (waited_seconds > timeout_seconds) throw ConnectionLost(message);
    return timeout_seconds;
  };
}

WhileWaiting without_limit() {
  return [](double) { return std::numeric_limits<double>::infinity(); };
}

}  // namespace sheaf
