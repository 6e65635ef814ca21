// A two-stage search for tests: trains every trial for two epochs, then the half with the lowest losses to the end.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/searcher.hpp"

namespace sheaf::test {

class TwoStageSearch : public Searcher {
 public:
  std::int64_t max_stages() const override { return 2; }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    const IndexRange repeats{0, plan.repeats()};
    return {{{0, plan.trial_count()}, 0, 0, 2, repeats}, {{}, (plan.trial_count() + 1) / 2, 2, std::nullopt, repeats}};
  }

  std::optional<Stage> next(const KnownResults& known) const override {
    const Plan& plan = known.plan();
    Stage stage = whole_stage(plan);
    stage.to_epoch = 2;
    if (plan.stage_count() == 0) return stage;
    std::vector<std::pair<double, std::int64_t>> losses;  // summed over the repeats, folds and members
    for (std::int64_t trial = 0; trial < plan.trial_count(); ++trial) losses.emplace_back(0, trial);
    for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
      const Iteration iteration = plan.iteration(number);
      losses[static_cast<std::size_t>(iteration.trial)].first += known.of(iteration).final_loss;
    }
    std::sort(losses.begin(), losses.end());
    losses.resize((losses.size() + 1) / 2);
    std::sort(losses.begin(), losses.end(),
              [](const auto& one, const auto& other) { return one.second < other.second; });
    stage.number = 1;
    stage.from_epoch = 2;
    stage.to_epoch.reset();
    stage.trials.clear();
    for (const auto& [loss, trial] : losses)
      if (!stage.trials.empty() && stage.trials.back().end == trial)
        ++stage.trials.back().end;
      else
        stage.trials.push_back({trial, trial + 1});
    return stage;
  }
};

inline std::unique_ptr<const Searcher> make_two_stage_search(const Study& /*study*/) {
  return std::make_unique<TwoStageSearch>();
}

}  // namespace sheaf::test
