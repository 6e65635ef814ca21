// What a run has cost: the time of its lanes and what it was spent on. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace sheaf {

/// The lane-seconds of a run.
struct TimeShares {
  double training = 0, data = 0, validation = 0;
  double waiting = 0;     ///< for streamed data
  double idle = 0;        ///< without work; known of runs with one job that are finished
  double unfinished = 0;  ///< of jobs that were killed, after the last result of each lane, without the part that later
                          ///< jobs have continued from checkpoints
  double repeated = 0;    ///< of results that do not count, because their iterations were trained again
  double other = 0;       ///< outside trainings

  double total() const;
  double lost() const { return unfinished + repeated; }
};

/// A part of the time, with its name in JSON, its name in texts, and the class of its mark in pictures.
struct TimePart {
  double TimeShares::*seconds;
  const char* key;
  const char* name;
  const char* mark;
};

/// All parts, in the order in which reports show them.
inline constexpr std::array time_parts = {
    TimePart{&TimeShares::training, "training", "training", "s0"},
    TimePart{&TimeShares::validation, "validation", "validation", "s2"},
    TimePart{&TimeShares::data, "data", "data", "s4"},
    TimePart{&TimeShares::waiting, "waiting", "waiting for data", "s3"},
    TimePart{&TimeShares::idle, "idle", "waiting for work", "s1"},
    TimePart{&TimeShares::unfinished, "unfinished", "lost with killed jobs", "s6"},
    TimePart{&TimeShares::repeated, "repeated", "trained again", "s7"},
    TimePart{&TimeShares::other, "other", "outside trainings", "faint"},
};

struct RunCost {
  std::int64_t lanes = 0;    ///< of the job that had most
  std::int64_t jobs = 0;     ///< that have trained
  std::int64_t threads = 1;  ///< of a lane
  double seconds = 0;        ///< of all jobs
  double lane_seconds = 0;   ///< of all lanes of all jobs
  TimeShares shares{};
  std::optional<double> expected_seconds{};  ///< for the whole run, with the lanes that the jobs had on average

  double core_seconds(double lane_time) const { return lane_time * static_cast<double>(threads); }
  double core_seconds() const { return core_seconds(lane_seconds); }
};

/// What the cost of a run depends on, besides its results and their timeline.
struct CostFacts {
  std::vector<JobRecord> jobs;
  std::int64_t threads = 1;            ///< of a lane
  double repeated_seconds = 0;         ///< of training, of results that do not count
  std::optional<double> idle_share{};  ///< of the time of the lanes in the last job, if it is known
};

/// `timeline`: of these results and jobs.
RunCost cost_of(const std::vector<TimedResult>& results, const Timeline& timeline, const CostFacts& facts);

/// "12.00 core-seconds: 2 lanes x 1 thread for 6 s in 1 job", and how many of them were lost.
std::string cost_text(const RunCost& cost);

/// "Expected 4.0 s by the arithmetic, took 6.0 s: 1.5 times as long."; nothing without an expectation. `is_complete`:
/// whether the run is.
std::optional<std::string> expectation_text(const RunCost& cost, bool is_complete);

/// Names, seconds of all lanes, and percent. Without parts that took no time.
std::vector<std::vector<std::string>> time_rows(const TimeShares& shares);

}  // namespace sheaf
