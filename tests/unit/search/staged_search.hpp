// Runs searches in stages without training. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/search_table.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"

namespace sheaf::test {

/// A search of `trials` learning rates, each trained for `epochs` epochs.
inline Study staged_study(SearchMethod method, std::int64_t trials, std::int64_t epochs) {
  Study study = regression_study();
  study.search.method = method;
  study.search.keys = {{"train.learning_rate", {}}};
  for (std::int64_t trial = 1; trial <= trials; ++trial)
    study.search.keys.front().candidates.push_back(std::to_string(trial) + "e-6");
  study.train.epochs = epochs;
  return study;
}

/// Runs a search in which each iteration has the loss `loss_of(iteration)` after any number of epochs. Returns the
/// plan.
template <class LossOf>
Plan searched(const Study& study, const LossOf& loss_of) {
  Plan plan(study);
  KnownResults known(plan);
  const auto searcher = make_searcher(study);
  while (auto stage = searcher->next(known)) {
    plan.add(*stage);
    const IndexRange numbers = plan.iterations_of(stage->number);
    for (std::int64_t number = numbers.begin; number < numbers.end; ++number) {
      IterationResult result;
      result.iteration = number;
      result.status = IterationStatus::finished;
      result.validation_loss = result.final_loss = loss_of(plan.iteration(number));
      known.add(result.iteration, known_result(result));
    }
  }
  CHECK(plan.stage_count() == searcher->max_stages());
  return plan;
}

inline std::vector<std::int64_t> trial_counts(const Plan& plan) {
  std::vector<std::int64_t> counts;
  for (std::int64_t stage = 0; stage < plan.stage_count(); ++stage) counts.push_back(plan.stage(stage).trial_count());
  return counts;
}

}  // namespace sheaf::test
