// SPDX-License-Identifier: MIT
#include "runs/results/run_results.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {

ResultTally::ResultTally(const Study& study, const Plan& plan, const std::vector<std::string>& engine_reasons)
    : study_(study), plan_(plan), engine_reasons_(engine_reasons), leaderboard_(plan) {}

void ResultTally::add(const TrainedIteration& iteration, const EnsembleResult* ensemble) {
  const IterationResult& result = iteration.result;
  leaderboard_.add(result, ensemble);
  if (ensemble != nullptr) results_.ensembles.push_back(*ensemble);
  if (study_.search.method == SearchMethod::none)
    results_.final_values.push_back({result.final_loss, result.validation_loss, result.validation_score});
  ++results_.iterations;
  results_.diverged += result.status == IterationStatus::diverged ? 1 : 0;
  if (result.status == IterationStatus::failed && ++results_.failed == 1) {
    results_.first_failed = result.iteration;
    results_.first_failure = iteration.message;
  }
  results_.trained_by_native += result.engine == TrainedBy::native ? 1 : 0;
  if (result.engine == TrainedBy::torch) {
    ++results_.trained_by_torch;
    add_torch_reason(plan_.iteration(result.iteration).trial);
  }
  results_.seconds += result.seconds;
  results_.wait_seconds += result.wait_seconds;
}

void ResultTally::add_torch_reason(std::int64_t trial) {
  const std::string& reason = engine_reasons_.at(static_cast<std::size_t>(trial));
  auto& reasons = results_.torch_reasons;
  if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
}

RunResults ResultTally::finish() {
  assert(results_.iterations == plan_.iteration_count());
  results_.trials = leaderboard_.ranked();
  results_.best_model = leaderboard_.best_model(results_.trials.front().trial);
  return std::move(results_);
}

}  // namespace sheaf
