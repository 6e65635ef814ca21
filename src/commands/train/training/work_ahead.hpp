// Work of the next stage that begins before the current stage is complete.
//
// While the last iterations of a stage train, lanes would wait. If the searcher is certain of a trial that the next
// stage continues, whatever the missing results are, waiting lanes train its iterations ahead. They save checkpoints
// instead of results: when the stage is chosen, it continues from the checkpoints. So results do not depend on what was
// trained ahead, and a job that is killed loses nothing else.
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
#include "study/stage.hpp"

namespace sheaf {

/// For one stage. The work source hands out positions: the `count` iterations of the stage that this job trains, and
/// after them, at `count` + i, what continues the stage's iteration i.
class WorkAhead : public StageObserver {
 public:
  /// `stages`: with a stage that continues the trainings of the plan's last stage. `count`: iterations of that stage
  /// which the job trains. `earlier`: on rank 0, the results of earlier attempts, settled. `channel`: a communicator
  /// of all ranks that no other code uses. Referenced objects outlive the object. Local.
  WorkAhead(SearchStages& stages, std::int64_t count, const ResultStore& earlier, const Communicator& channel);

  /// The epochs of the next stage; its trials are not known yet.
  const Stage& stage() const { return next_; }
  /// Whether a claim of the work source is work ahead. Pure; called by lanes.
  bool has(const IndexRange& claim) const { return !claim.empty() && claim.begin >= count_; }
  /// The iterations of the current stage that the claim continues. Pure; called by lanes.
  std::vector<IndexRange> iterations_at_positions(const IndexRange& claim) const;

  void add(const IterationResult& result) override { results_.add(result); }
  void end_lanes() override { results_.end(); }
  /// On rank 0, adds work for waiting lanes and closes the source when the stage is complete.
  void service(WorkSource& source) override;
  bool is_over() override { return results_.is_over(); }
  MoreWork more_work() const override { return MoreWork::may_follow; }

 private:
  void add_work(WorkSource& source);
  void find_certain_trials();

  SearchStages& stages_;
  const IndexRange iterations_;  // of the current stage
  const std::int64_t count_;
  const Stage next_;
  const bool decides_;  // rank 0
  EarlyResults results_;

  // On rank 0.
  std::int64_t heard_ = 0;               // results of this attempt
  std::set<std::int64_t> found_;         // trials that are certain
  std::vector<std::int64_t> not_added_;  // those that are not handed out yet
  bool was_short_ = false;
  Clock::time_point short_since_;
  std::int64_t decided_at_ = -1;  // results heard at the last decision
  Clock::time_point next_decision_ = Clock::now();
};

/// Whether a stage can be followed by work ahead: its searcher knows the epochs of the next stage in advance, lanes
/// claim from a shared pool, several lanes exist, every lane can train on its own, and the stage is small enough to be
/// ranked again and again. Pure.
bool allows_work_ahead(const SearchStages& stages, PartitionKind partition, bool is_streamed, bool is_array_task,
                       std::int64_t lanes);

}  // namespace sheaf
