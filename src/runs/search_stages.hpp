// The stages of a run, chosen by its searcher one by one from the results of earlier stages.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runs/journal/journal_line.hpp"
#include "runs/journal/replay.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/journal/stage_line.hpp"
#include "search/searcher.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// Adds stages to a plan. In a search with gradual trials, its only stage ends when the search does. The next stage is
/// chosen when every iteration of the current one has a result. Failed iterations do not count, because another attempt
/// may train them, unless the next stage adds repeats. After the search, with run.refit, follows the refit, which is
/// chosen elsewhere (choose_refits()), because the scores of ensembles need the data; a job that resumes the run takes
/// the recorded one. Local. All ranks have one; only that of rank 0 gets results and chooses stages.
class SearchStages {
 public:
  /// `plan`: without stages. Both arguments outlive the object.
  SearchStages(const Searcher& searcher, Plan& plan) : searcher_(searcher), plan_(plan), known_(plan) {}

  const Plan& plan() const { return plan_; }
  /// The iterations of the plan's last stage.
  IndexRange last_iterations() const { return plan_.iterations_of(plan_.stage_count() - 1); }
  /// An upper limit of the number of iterations in the run.
  std::int64_t max_iterations() const;

  /// Whether a stage of the search may follow the last one of the plan.
  bool more_may_come() const { return !plan_.has_refit() && plan_.stage_count() < searcher_.max_stages(); }

  /// Whether the next stage adds repeats. Its trials do not depend on results, so failed iterations do not hold it up.
  bool next_adds_repeats() const;

  /// " of stage 1", " of the refit"; empty for searches with a single stage.
  std::string last_stage_text() const;
  /// "stage 1 of 0..3", the last stage of the plan among all, or "refit"; empty for searches with a single stage.
  std::string position_text() const;
  /// An estimate of the iterations of the stages that are not chosen yet, including a refit of one trial.
  std::int64_t later_iterations() const;

  /// The later stages, with all trials that are known to begin in them. The next one also has all trials that it may
  /// continue: those of the plan's last stage. Ends before the first stage for which no trial is known. Pure.
  std::vector<Stage> possible_stages() const;

  /// Adds a result of the plan's last stage, perhaps a second time.
  void add(const IterationResult& result) { add(result.iteration, known_result(result)); }
  void add(std::int64_t iteration, const KnownResult& result) { known_.add(iteration, result); }
  /// The trials that the next stage continues and that do not depend on missing results, in ascending ranges.
  std::vector<IndexRange> certain() const { return searcher_.certain(known_); }
  /// Adds the next stage to the plan. All earlier stages must have all their results. Returns false if the search is
  /// done.
  bool choose_next();

  /// The trials of a search that releases them one after another, after its stage was chosen; null: it does not.
  GradualTrials* gradual() { return gradual_.get(); }
  /// Whether gradual trials are over.
  bool is_over() const { return ended_after_ || gradual_->is_over(); }
  /// Ends the plan after the last trial that has begun, for gradual trials that are over, or after `trials`.
  void end_gradual(std::optional<std::int64_t> trials = {});

  /// Whether a result of the search is final: a failed iteration may be trained again, unless trials that depend on it
  /// have begun.
  bool is_final(const IterationResult& result) const;
  /// Adds the refit to the plan. All results of the search must be final.
  void add_refit(std::vector<Refit> refits) { plan_.add(refit_stage(plan_, std::move(refits))); }
  /// Whether catch_up() has found the results of the whole search, and no refit although the study wants one.
  bool awaits_refit() const { return awaits_refit_; }

  /// Why gradual trials have ended before search.trials; empty: they have not.
  std::string end_text() const;

  /// Adds the stages that follow from stored results, up to the first one with remaining iterations. Returns whether
  /// there is none: the search, and the refit if one is recorded, are done. `journals`: the results of all stages so
  /// far, settled, and the values of drawn trials; gets the results of the refit. For gradual trials called once; their
  /// failed iterations are final if later trials depend on them.
  bool catch_up(Replay& journals);
  /// The number of iterations of gradual trials whose results catch_up() has used.
  std::int64_t used_results() const;

 private:
  bool catch_up_search(const Replay& journals);
  bool catch_up_gradual(const Replay& journals);
  bool has_all_results(const ResultStore& results) const;

  const Searcher& searcher_;
  Plan& plan_;
  KnownResults known_;
  std::unique_ptr<GradualTrials> gradual_;
  std::optional<std::int64_t> ended_after_;  // trials
  std::vector<IndexRange> used_;             // iterations of gradual trials, ascending
  bool awaits_refit_ = false;
};

/// The iterations of the plan's last stage in the order in which lanes get them: first those of trials that begin in
/// it, which have the most epochs. At the end of the stage lanes then wait for short trainings. Pure.
std::vector<IndexRange> longest_first(const Plan& plan);

/// Throws RunError if a recorded stage differs from the plan, because results of the run have changed. Stages that
/// are not planned yet must begin after the planned ones. Pure.
void require_recorded_stages(const Plan& plan, const std::vector<RecordedStage>& recorded,
                             const std::string& directory);

}  // namespace sheaf
