// Trains the gradual trials of a search: rank 0 decides, from the results of all ranks, what may be trained next.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "commands/train/training/early_results.hpp"
#include "commands/train/training/search_time.hpp"
#include "commands/train/training/stage_observer.hpp"
#include "commands/train/training/trial_values.hpp"
#include "core/clock.hpp"
#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "search/gradual_trials.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// For one call of train_stage(). Positions of the work source are numbers of iterations. Of the released iterations,
/// lanes get those of the first trials first, so that few trials are unfinished when a search is ended.
class GradualStage : public StageObserver {
 public:
  /// Whether iterations are added to the work source as soon as they are released, or wait for the next round.
  enum class Release { at_once, next_round };

  /// When the time of the search is over, only the first trial that has not ended may go on. If trainings are cut, it
  /// ends with its results so far.
  enum class TimeLeft { some, of_first_trial, none };

  /// `trials`: null on all ranks but 0. `together`: the most iterations that a lane trains at the same time. `channel`:
  /// a communicator of all ranks that no other code uses. Referenced objects outlive the object. Local. On rank 0,
  /// `record_pruned` journals the iterations that have been pruned and returns their number; `running` hears the ends
  /// of trainings.
  GradualStage(Plan& plan, GradualTrials* trials, Release release, std::int64_t together,
               std::function<std::int64_t()> record_pruned, std::function<TimeLeft()> time_left,
               RunningTrainings& running, const Communicator& channel);

  void add(const IterationResult& result) override { results_.add(result); }
  void end_lanes() override;
  void service(WorkSource& source) override;
  bool is_over() override { return results_.is_over() && values_.is_over(); }
  std::int64_t left_out() const override { return left_out_; }
  double max_pause_seconds() const override;
  MoreWork more_work() const override { return release_ == Release::at_once ? MoreWork::may_follow : MoreWork::none; }

  /// Waits until the values of the trials of these iterations are known. Returns false if `is_stopping` returns true
  /// before. Called by lanes. Local.
  bool await_values(const std::vector<IndexRange>& iterations, const std::function<bool()>& is_stopping);

 private:
  void add_work(WorkSource& source, TimeLeft left);

  Plan& plan_;
  GradualTrials* const trials_;
  const Release release_;
  const std::int64_t together_;
  const std::function<std::int64_t()> record_pruned_;
  const std::function<TimeLeft()> time_left_;
  RunningTrainings& running_;
  const bool draws_;  // trials have values that lanes must wait for
  EarlyResults results_;
  TrialValues values_;

  // On rank 0.
  std::int64_t added_ = 0, heard_ = 0;  // iterations that lanes have got, and their results
  std::int64_t left_out_ = 0;
  const Clock::time_point start_ = Clock::now();
  std::int64_t sent_ = 0;  // trials whose values were sent
  bool is_closed_ = false;
};

}  // namespace sheaf
