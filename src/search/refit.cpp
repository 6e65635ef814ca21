// SPDX-License-Identifier: MIT
#include "search/refit.hpp"

#include <algorithm>

namespace sheaf {
namespace {

// The refit that follows one fit.
Refit refit_like(std::int64_t trial, const TrainOptions& train, const TrainedIteration& fit) {
  const IterationResult& result = fit.result;
  const bool is_best = train.best_weights.value_or(false) && result.best_epoch >= 0;
  Refit refit{trial, is_best ? result.best_epoch + 1 : result.epochs, result.steps / result.epochs, {}};
  for (const std::int64_t epoch : fit.rate_reductions)
    if (epoch < refit.epochs) refit.reductions.push_back(epoch);
  return refit;
}

}  // namespace

std::optional<Refit> refit_of(std::int64_t trial, const TrainOptions& train,
                              const std::vector<TrainedIteration>& fits) {
  std::vector<Refit> refits;
  for (const TrainedIteration& fit : fits)
    if (has_model(fit.result.status)) refits.push_back(refit_like(trial, train, fit));
  if (refits.empty()) return std::nullopt;
  std::stable_sort(refits.begin(), refits.end(),
                   [](const Refit& one, const Refit& other) { return one.steps() < other.steps(); });
  const auto same_steps = [steps = refits[(refits.size() - 1) / 2].steps()](const Refit& refit) {
    return refit.steps() == steps;
  };
  return *std::find_if(refits.begin(), refits.end(), same_steps);
}

}  // namespace sheaf
