// The state of a run: its counts, best trial, speed and lost work. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "runs/run_reader.hpp"
#include "search/leaderboard.hpp"

namespace sheaf {

enum class RunActivity {
  running,   ///< a job is at work
  finished,  ///< all iterations have a result or have failed, and the result files exist
  stopped,   ///< neither of them
  unknown    ///< stopped, or running: the locks cannot be read
};

/// Iterations of all stages so far.
struct IterationCounts {
  std::int64_t total = 0;
  std::int64_t finished = 0;
  std::int64_t diverged = 0;
  std::int64_t failed = 0;
  std::int64_t pruned = 0;
  std::int64_t unfinished = 0;
  std::int64_t cut = 0;

  /// Those without a result, which `sheaf resume` trains: failed ones too.
  std::int64_t left() const { return total - finished - cut - diverged - pruned; }
};

/// The results of one job.
struct AttemptStatus {
  std::string name;
  std::int64_t results = 0;    ///< that count: the first result of each iteration
  std::optional<double> rate;  ///< iterations per second, from the first start to the last end; none without one
};

struct RunStatus {
  RunActivity activity = RunActivity::stopped;
  IterationCounts iterations;
  std::int64_t complete_trials = 0;  ///< trials whose iterations all have a result or have failed
  std::optional<TrialSummary> best;  ///< of the complete trials; ensembles are ranked by the means of their members
  std::optional<std::int64_t>
      best_iteration;    ///< of the search, of those that finished, by the value that progress shows
  double best_cost = 0;  ///< its cost_of(); infinite without one
  std::optional<std::int64_t> first_failed;  ///< iteration
  std::string first_failure;                 ///< its message
  std::vector<AttemptStatus> attempts;
  std::optional<double> rate;            ///< of the jobs at work, otherwise of the last attempt; iterations per second
  std::int64_t repeated_results = 0;     ///< results of iterations that already had one: lost work
  std::int64_t waiting_checkpoints = 0;  ///< iterations that have a checkpoint and no result

  /// Seconds until the jobs at work have trained the rest, by the number of iterations; none without a rate.
  std::optional<double> seconds_left() const;
};

RunStatus status_of(const RunState& run);

/// All iterations of a trial in a stage.
struct TrainedTrial {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  IndexRange iterations;
};

/// The trials whose iterations of a stage of the search have all finished, diverged or failed: stage by stage, in the
/// order of the plan. Visits results, not trials: a search may have many more.
std::vector<TrainedTrial> trained_trials(const RunState& run);

/// The best of the complete trials, at most `count`, in the order of the leaderboard (Leaderboard::ranked).
std::vector<TrialSummary> best_trials(const RunState& run, std::int64_t count);

}  // namespace sheaf
