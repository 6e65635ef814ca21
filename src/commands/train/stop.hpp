// Why a run stops before its end: signals, the time limit, failures.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>

#include "core/clock.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A cause that travels between ranks as one number: a signal's own, or one of these; 0 for none. Of several causes the
/// largest is told.
using StopCause = std::int64_t;
inline constexpr StopCause no_stop = 0;
inline constexpr StopCause time_is_up = 1000;
inline constexpr StopCause iteration_failed = 1001;

/// "SIGTERM", "run.time_limit", "an iteration failed". Pure.
std::string stop_text(StopCause cause);

/// Seconds from `now` (since the epoch) after which no iteration is begun; infinity for no limit. `slurm_end`: when
/// Slurm ends the job, as SLURM_JOB_END_TIME tells it, or empty. Before that, running iterations and results have a
/// twentieth of the time left, but at least ten seconds and at most five minutes. Pure.
double seconds_until_stop(const TimeLimit& limit, const std::string& slurm_end, double now);

/// When a job began, by both clocks.
struct JobStart {
  Clock::time_point monotonic = Clock::now();
  std::time_t utc = std::time(nullptr);
};

/// The causes to stop that this process notices by itself: a signal, or the end of the time limit, which runs from
/// `start`. `slurm_end`: as above.
std::function<StopCause()> stop_watch(const TimeLimit& limit, const std::string& slurm_end, const JobStart& start);

}  // namespace sheaf
