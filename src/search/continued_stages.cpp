// SPDX-License-Identifier: MIT
#include "search/continued_stages.hpp"

#include <algorithm>
#include <utility>

#include "search/leaderboard.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// Ascending numbers as ranges.
std::vector<IndexRange> ranges_of(const std::vector<std::int64_t>& numbers) {
  std::vector<IndexRange> ranges;
  for (const std::int64_t number : numbers)
    if (!ranges.empty() && ranges.back().end == number)
      ++ranges.back().end;
    else
      ranges.push_back({number, number + 1});
  return ranges;
}

// The part of an iteration's result that ranks its trial; nothing if it is missing.
std::optional<IterationResult> result_of(const KnownResults& known, std::int64_t number) {
  const KnownResult found = known.of(known.plan().iteration(number));
  if (!is_result(found.status)) return std::nullopt;
  IterationResult result;
  result.iteration = number;
  result.status = found.status;
  result.final_loss = found.final_loss;
  result.validation_loss = found.validation_loss;
  result.validation_score = found.validation_score;
  return result;
}

class ContinuedStages : public Searcher {
 public:
  ContinuedStages(const Study& study, std::vector<std::int64_t> stage_ends, ContinuedCount continued_count)
      : ranking_(ranking_of(study)), stage_ends_(std::move(stage_ends)), continued_count_(std::move(continued_count)) {
    ranking_.metric_count = 0;  // further metrics do not decide
  }

  std::int64_t max_stages() const override { return static_cast<std::int64_t>(stage_ends_.size()); }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    std::vector<StageSize> all;
    std::int64_t trials = plan.trial_count(), from = 0;
    for (const std::int64_t end : stage_ends_) {
      all.push_back({trials, from, end});
      trials = continued_count_(trials);
      from = end;
    }
    all.back().to_epoch.reset();
    return all;
  }

  std::optional<Stage> next(const KnownResults& known) const override {
    const Plan& plan = known.plan();
    const std::int64_t number = plan.stage_count();
    if (number == max_stages()) return std::nullopt;
    Stage stage = whole_stage(plan);
    stage.number = number;
    if (number + 1 < max_stages()) stage.to_epoch = stage_ends_[static_cast<std::size_t>(number)];
    if (number == 0) return stage;
    stage.from_epoch = stage_ends_[static_cast<std::size_t>(number) - 1];
    stage.trials = ranges_of(certain_trials(known));
    if (stage.trials.empty()) return std::nullopt;
    return stage;
  }

  std::vector<IndexRange> certain(const KnownResults& known) const override { return ranges_of(certain_trials(known)); }

 private:
  // The trials of the last stage that continue even if all trials with missing results become better, ascending.
  // Diverged trainings cannot continue.
  std::vector<std::int64_t> certain_trials(const KnownResults& known) const {
    const Plan& plan = known.plan();
    const Stage& stage = plan.stage(plan.stage_count() - 1);
    Leaderboard leaderboard(plan, ranking_, stage.trial_count());
    const IndexRange numbers = plan.iterations_of(stage.number);
    const std::int64_t per_trial = stage.per_trial();
    std::int64_t count = continued_count_(stage.trial_count());
    std::vector<IterationResult> results;
    for (std::int64_t first = numbers.begin; first < numbers.end; first += per_trial) {
      results.clear();
      for (std::int64_t number = first; number < first + per_trial; ++number)
        if (const auto result = result_of(known, number)) results.push_back(*result);
      if (static_cast<std::int64_t>(results.size()) < per_trial)
        --count;
      else
        for (const IterationResult& result : results) leaderboard.add(result, nullptr);
    }
    std::vector<std::int64_t> trials;
    if (count <= 0) return trials;
    for (const TrialSummary& trial : leaderboard.ranked())
      if (trial.diverged == 0 && static_cast<std::int64_t>(trials.size()) < count) trials.push_back(trial.trial);
    std::sort(trials.begin(), trials.end());
    return trials;
  }

  Ranking ranking_;
  std::vector<std::int64_t> stage_ends_;
  ContinuedCount continued_count_;
};

}  // namespace

std::unique_ptr<const Searcher> make_continued_stages(const Study& study, std::vector<std::int64_t> stage_ends,
                                                      ContinuedCount continued_count) {
  return std::make_unique<ContinuedStages>(study, std::move(stage_ends), std::move(continued_count));
}

}  // namespace sheaf
