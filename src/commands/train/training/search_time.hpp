// When the time of a search is over (search.time).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "search/gradual_trials.hpp"
#include "study/data_options.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// How long the lanes have trained what they train now, by the ends of the trainings before. Pure.
class RunningTrainings {
 public:
  /// `lanes`: of all ranks.
  explicit RunningTrainings(std::int64_t lanes) : lanes_(lanes) {}

  /// The number of iterations that lanes may train and have not ended. If there are fewer than lanes, some lanes wait;
  /// they are taken to be those that ended their last training first.
  void set_left(std::int64_t iterations) { left_ = iterations; }
  /// A lane has ended a training after `seconds` of the job.
  void ended(std::int32_t rank, std::int32_t lane, double seconds) { ends_[{rank, lane}] = seconds; }
  /// After `seconds` of the job.
  RunningTime time(double seconds) const;

 private:
  std::int64_t lanes_, left_ = 0;
  std::map<std::pair<std::int32_t, std::int32_t>, double> ends_;  // by rank and lane: of the last training
};

/// The time of a search contains what follows it: the refit and the selection of the ensemble of trials. Pure.
struct SearchTime {
  double limit = 0;            ///< search.time in seconds; 0: none
  double earlier_seconds = 0;  ///< of training, of earlier jobs
  std::int64_t lanes = 1;      ///< of all ranks
  std::int64_t threads = 1;    ///< of rank 0, which selects the ensemble
  std::int64_t members = 1;    ///< of each trial
  bool has_refit = false;
  double refit_rows = 1;  ///< the training rows of the refit, divided by those of a fit
  bool has_ensemble = false;
  Task task = Task::classification;
  std::int64_t outputs = 1;
  std::int64_t held_out_rows = 0;  ///< of all folds
  bool cuts_trials = false;        ///< each running training becomes a trial when the search ends

  /// Whether the search must end, after `seconds` of training in this job.
  bool is_up(const GradualTrials& trials, const RunningTrainings& running, double seconds) const;
  /// The expected time from the end of the search to that of the run, in seconds, without writing its files. `trials`:
  /// that have begun.
  double seconds_after_search(const RefitTime& refit_time, std::int64_t trials, const RunningTime& running = {}) const;
};

/// The time of a run's search. `earlier_seconds`, `lanes`, `threads`: as above.
SearchTime search_time_of(const TrainingContext& context, double earlier_seconds, std::int64_t lanes,
                          std::int64_t threads);

}  // namespace sheaf
