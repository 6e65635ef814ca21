// The stages of a run: named by its searcher, one after the other, from the results of those before.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "runs/journal/journal_line.hpp"
#include "runs/journal/result_store.hpp"
#include "search/searcher.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// Adds stages to a plan. A stage is named once every iteration of the one before has a result: failed iterations,
/// which another attempt may train, hold up the search. Local, for rank 0.
class SearchStages {
 public:
  /// `plan`: without stages. Both outlive it.
  SearchStages(const Searcher& searcher, Plan& plan) : searcher_(searcher), plan_(plan), known_(plan) {}

  const Plan& plan() const { return plan_; }
  /// The iterations of the plan's last stage.
  IndexRange last_iterations() const { return plan_.iterations_of(plan_.stage_count() - 1); }
  /// Results of the run have lower numbers.
  std::int64_t most_iterations() const;

  /// Whether a stage may follow the last one of the plan.
  bool more_may_come() const { return plan_.stage_count() < searcher_.most_stages(); }

  /// " of stage 1"; empty for searches that have one stage.
  std::string last_stage_text() const;

  /// A result of the plan's last stage.
  void add(const IterationResult& result) { known_.add(result); }
  /// Adds the next stage, whose predecessors have all their results. False: the search is done.
  bool name_next();

  /// Adds the stages that follow from stored results, up to the first one with iterations left. Returns whether the
  /// search is done. `results`: of all stages so far, settled.
  bool catch_up(const ResultStore& results);

 private:
  const Searcher& searcher_;
  Plan& plan_;
  KnownResults known_;
};

/// Throws RunError when a stage was recorded otherwise than it is planned: results of the run have changed. Stages that
/// were not recorded, or are not planned yet, are no error. Pure.
void require_recorded_stages(const Plan& plan, const std::vector<RecordedStage>& recorded,
                             const std::string& directory);

}  // namespace sheaf
