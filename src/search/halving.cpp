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

class Halving : public Searcher {
 public:
  explicit Halving(const Study& study)
      : ranking_(ranking_of(study)),
        factor_(study.search.factor),
        rungs_(rungs_of(TrialSpace(study).count(), study.train.epochs, factor_, study.search.min_epochs)) {
    ranking_.metric_count = 0;  // further metrics do not decide
  }

  std::int64_t max_stages() const override { return static_cast<std::int64_t>(rungs_.size()); }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    std::vector<StageSize> all;
    std::int64_t trials = plan.trial_count(), from = 0;
    for (const std::int64_t rung : rungs_) {
      all.push_back({trials, from, rung});
      trials = promoted_count(trials, factor_);
      from = rung;
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
    if (number + 1 < max_stages()) stage.to_epoch = rungs_[static_cast<std::size_t>(number)];
    if (number == 0) return stage;
    stage.from_epoch = rungs_[static_cast<std::size_t>(number) - 1];
    stage.trials = ranges_of(best_of(known, plan.stage(number - 1)));
    return stage;
  }

 private:
  // The trials of a stage that continue, ascending.
  std::vector<std::int64_t> best_of(const KnownResults& known, const Stage& stage) const {
    const Plan& plan = known.plan();
    Leaderboard leaderboard(plan, ranking_, stage.trial_count());
    const IndexRange numbers = plan.iterations_of(stage.number);
    for (std::int64_t number = numbers.begin; number < numbers.end; ++number) {
      const KnownResult& found = known.of(plan.iteration(number));
      IterationResult result;
      result.iteration = number;
      result.status = found.status;
      result.final_loss = found.final_loss;
      result.validation_loss = found.validation_loss;
      result.validation_score = found.validation_score;
      leaderboard.add(result, nullptr);
    }
    std::vector<std::int64_t> trials;
    for (const TrialSummary& trial : leaderboard.ranked()) trials.push_back(trial.trial);
    trials.resize(static_cast<std::size_t>(promoted_count(stage.trial_count(), factor_)));
    std::sort(trials.begin(), trials.end());
    return trials;
  }

  Ranking ranking_;
  std::int64_t factor_;
  std::vector<std::int64_t> rungs_;
};

}  // namespace

std::vector<std::int64_t> rungs_of(std::int64_t trials, std::int64_t epochs, std::int64_t factor,
                                   std::int64_t min_epochs) {
  std::vector<std::int64_t> rungs = {epochs};
  for (std::int64_t left = trials / factor; left > 0 && rungs.back() / factor >= min_epochs; left /= factor)
    rungs.push_back(rungs.back() / factor);
  std::reverse(rungs.begin(), rungs.end());
  return rungs;
}

std::int64_t promoted_count(std::int64_t trials, std::int64_t factor) {
  return (trials + factor - 1) / factor;
}

std::unique_ptr<const Searcher> make_halving(const Study& study) {
  return std::make_unique<Halving>(study);
}

}  // namespace sheaf
