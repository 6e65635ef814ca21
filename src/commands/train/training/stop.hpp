// Causes that stop a run before its end: signals, the time limit, failures.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>

#include "core/clock.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// A cause as one number, which ranks exchange: the number of a signal or one of the constants below. If there are
/// several causes, the largest is reported.
using StopCause = std::int64_t;
inline constexpr StopCause no_stop = 0;
inline constexpr StopCause search_is_over = 999;  // its time; the run is then complete
inline constexpr StopCause time_is_up = 1000;
inline constexpr StopCause iteration_failed = 1001;

/// "SIGTERM", "run.time_limit", "an iteration failed". Pure.
std::string stop_text(StopCause cause);

/// Seconds from `now` (since the epoch) until no more iterations are started; infinity without a limit. `slurm_end`:
/// the value of SLURM_JOB_END_TIME, or empty. A twentieth of the time until then, between ten seconds and five minutes,
/// is reserved for running iterations and for writing results. Pure.
double seconds_until_stop(const TimeLimit& limit, const std::string& slurm_end, double now);

/// The time at which a job began, by both clocks.
struct JobStart {
  Clock::time_point monotonic = Clock::now();
  std::time_t utc = std::time(nullptr);
};

/// A function that returns the cause to stop in this process: a signal, or the time limit, which counts from `start`.
/// `slurm_end`: as above.
std::function<StopCause()> stop_watch(const TimeLimit& limit, const std::string& slurm_end, const JobStart& start);

/// stop_watch() for a rank of a job. Only rank 0 checks the time limit. Local.
std::function<StopCause()> stop_watch_of_rank(const TimeLimit& limit, const JobStart& start, bool is_root);

}  // namespace sheaf
