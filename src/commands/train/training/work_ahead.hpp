// Work of later stages that begins before the current stage is complete.
//
// While the last iterations of a stage train, lanes would wait. Two kinds of trials are certain whatever the missing
// results are: those that begin in a later stage, which are known before the search, and those that the searcher names
// because the next stage continues them anyway. Waiting lanes train their iterations ahead, those with the most epochs
// first. They save checkpoints instead of results: when the stage is chosen, it continues from the checkpoints. So
// results do not depend on what was trained ahead, and a job that is killed loses nothing else.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "commands/train/training/early_results.hpp"
#include "commands/train/training/stage_observer.hpp"
#include "core/clock.hpp"
#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/partition/work_source.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/search_stages.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// For one stage. The work source hands out positions: the `count` iterations of the stage that this job trains, and
/// after them the iterations of plan().
class WorkAhead : public StageObserver {
 public:
  /// `stages`: with possible_stages(). `count`: iterations of the plan's last stage which the job trains. `earlier`: on
  /// rank 0, the results of earlier attempts, settled. `channel`: a communicator of all ranks that no other code uses.
  /// Referenced objects outlive the object. Local.
  WorkAhead(SearchStages& stages, std::int64_t count, const ResultStore& earlier, const Communicator& channel);

  /// The plan of the run, followed by the possible stages.
  const Plan& plan() const { return plan_; }
  /// Whether a claim of the work source is work ahead. Pure; called by lanes.
  bool has(const IndexRange& claim) const { return !claim.empty() && claim.begin >= count_; }
  /// The iterations of plan() in a claim of work ahead. Pure; called by lanes.
  std::vector<IndexRange> iterations_at_positions(const IndexRange& claim) const;

  void add(const IterationResult& result) override { results_.add(result); }
  void end_lanes() override { results_.end(); }
  /// On rank 0, adds work for waiting lanes and closes the source when the stage is complete.
  void service(WorkSource& source) override;
  bool is_over() override { return results_.is_over(); }
  MoreWork more_work() const override { return MoreWork::may_follow; }

 private:
  void add_work(WorkSource& source);
  void add_trial(std::int64_t stage, std::int64_t trial);
  void add_new_trials();
  void find_certain_trials();

  SearchStages& stages_;
  const std::int64_t count_;
  const Plan plan_;
  const std::int64_t first_;  // iteration of the possible stages
  const bool decides_;        // rank 0
  EarlyResults results_;

  // On rank 0.
  std::int64_t heard_ = 0;            // results of this attempt
  std::set<std::int64_t> found_;      // the first iterations of the trials that are certain
  std::set<std::int64_t> not_added_;  // those that are not handed out yet; later ones have more epochs
  bool was_short_ = false;
  bool has_waited_ = false;  // lanes have waited for long enough
  Clock::time_point short_since_;
  std::int64_t decided_at_ = -1;  // results heard at the last decision
  Clock::time_point next_decision_ = Clock::now();
};

/// Whether a stage can be followed by work ahead: possible stages are known, lanes claim from a shared pool, several
/// lanes exist, every lane can train on its own, and the stages are small enough to be ranked and listed again and
/// again. Pure.
bool allows_work_ahead(const SearchStages& stages, PartitionKind partition, bool trains_together, bool is_array_task,
                       std::int64_t lanes);

}  // namespace sheaf
