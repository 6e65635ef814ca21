// SPDX-License-Identifier: MIT
#include "commands/train/training/stop.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "core/interruption.hpp"

namespace sheaf {

std::string stop_text(StopCause cause) {
  if (cause == time_is_up) return "run.time_limit";
  if (cause == iteration_failed) return "an iteration failed";
  return signal_name(static_cast<int>(cause));
}

double seconds_until_stop(const TimeLimit& limit, const std::string& slurm_end, double now) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (limit.kind == TimeLimit::Kind::none) return never;
  if (limit.kind == TimeLimit::Kind::seconds) return static_cast<double>(limit.seconds);
  std::int64_t end = 0;
  const auto [stop, error] = std::from_chars(slurm_end.data(), slurm_end.data() + slurm_end.size(), end);
  if (error != std::errc{} || stop != slurm_end.data() + slurm_end.size()) return never;
  const double left = static_cast<double>(end) - now;
  return std::max(0.0, left - std::clamp(left / 20, 10.0, 300.0));
}

std::function<StopCause()> stop_watch(const TimeLimit& limit, const std::string& slurm_end, const JobStart& start) {
  const double seconds = seconds_until_stop(limit, slurm_end, static_cast<double>(start.utc));
  return [seconds, begun = start.monotonic]() -> StopCause {
    const StopCause signal = noted_signal();
    return signal != no_stop || seconds_since(begun) < seconds ? signal : time_is_up;
  };
}

std::function<StopCause()> stop_watch_of_rank(const TimeLimit& limit, const JobStart& start, bool is_root) {
  const char* slurm_end = std::getenv("SLURM_JOB_END_TIME");
  return stop_watch(is_root ? limit : TimeLimit{TimeLimit::Kind::none, 0}, slurm_end ? slurm_end : "", start);
}

}  // namespace sheaf
