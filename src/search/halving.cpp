// SPDX-License-Identifier: MIT
#include "search/halving.hpp"

#include <algorithm>

#include "search/leaderboard.hpp"
#include "study/study.hpp"
#include "study/trial_space.hpp"

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
  if (found.status == IterationStatus::missing || found.status == IterationStatus::failed) return std::nullopt;
  IterationResult result;
  result.iteration = number;
  result.status = found.status;
  result.final_loss = found.final_loss;
  result.validation_loss = found.validation_loss;
  result.validation_score = found.validation_score;
  return result;
}

class Halving : public Searcher {
 public:
  explicit Halving(const Study& study)
      : ranking_(ranking_of(study)),
        factor_(study.search.factor),
        stage_ends_(stage_ends(TrialSpace(study).count(), study.train.epochs, factor_, study.search.min_epochs)) {
    ranking_.metric_count = 0;  // further metrics do not decide
  }

  std::int64_t max_stages() const override { return static_cast<std::int64_t>(stage_ends_.size()); }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    std::vector<StageSize> all;
    std::int64_t trials = plan.trial_count(), from = 0;
    for (const std::int64_t end : stage_ends_) {
      all.push_back({trials, from, end});
      trials = promoted_count(trials, factor_);
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
    std::int64_t continue_count = promoted_count(stage.trial_count(), factor_);
    std::vector<IterationResult> results;
    for (std::int64_t first = numbers.begin; first < numbers.end; first += per_trial) {
      results.clear();
      for (std::int64_t number = first; number < first + per_trial; ++number)
        if (const auto result = result_of(known, number)) results.push_back(*result);
      if (static_cast<std::int64_t>(results.size()) < per_trial)
        --continue_count;
      else
        for (const IterationResult& result : results) leaderboard.add(result, nullptr);
    }
    std::vector<std::int64_t> trials;
    if (continue_count <= 0) return trials;
    for (const TrialSummary& trial : leaderboard.ranked())
      if (trial.diverged == 0 && static_cast<std::int64_t>(trials.size()) < continue_count)
        trials.push_back(trial.trial);
    std::sort(trials.begin(), trials.end());
    return trials;
  }

  Ranking ranking_;
  std::int64_t factor_;
  std::vector<std::int64_t> stage_ends_;
};

}  // namespace

std::vector<std::int64_t> stage_ends(std::int64_t trials, std::int64_t epochs, std::int64_t factor,
                                     std::int64_t min_epochs) {
  std::vector<std::int64_t> ends = {epochs};
  for (std::int64_t left = trials / factor; left > 0 && ends.back() / factor >= min_epochs; left /= factor)
    ends.push_back(ends.back() / factor);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

std::int64_t promoted_count(std::int64_t trials, std::int64_t factor) {
  return (trials + factor - 1) / factor;
}

std::unique_ptr<const Searcher> make_halving(const Study& study) {
  return std::make_unique<Halving>(study);
}

}  // namespace sheaf
