// SPDX-License-Identifier: MIT
#include "commands/train/training/refit_choice.hpp"

#include <optional>
#include <utility>

#include "commands/train/training/ensemble_score.hpp"
#include "core/log.hpp"
#include "search/leaderboard.hpp"
#include "search/refit.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

using TakeResult = std::function<void(const JournaledIteration&)>;

// Calls `take` on rank 0 for the iterations, in order. Collective.
void visit_results(const SearchResults& results, IndexRange iterations, const GatherRoute& route,
                   const TakeResult& take) {
  gather_results(results.own, results.earlier.iterations, results.earlier.files.size(), iterations, {}, route,
                 [&](const std::vector<GatheredResult>& window) {
                   for (const GatheredResult& result : window) take(result.unpack());
                 });
}

// The trial that ranks first on the leaderboard of the run, if all results are final. On rank 0. Collective.
std::optional<TrialSummary> find_best(const SearchResults& results, const GatherRoute& route) {
  const Plan& plan = results.context.plan;
  std::vector<std::string> files = results.earlier.files;
  files.insert(files.end(), results.journals.begin(), results.journals.end());
  EnsembleScore ensembles(results.context, files);
  Leaderboard board(plan, ranking_of(results.context.study));
  bool all_final = true;
  visit_results(results, plan.search_iterations(), route, [&](const JournaledIteration& iteration) {
    all_final = all_final && results.stages.is_final(iteration.trained.result);
    const auto ensemble = ensembles.add(iteration);
    board.add(iteration.trained.result, ensemble ? &*ensemble : nullptr, iteration.trained.metrics);
  });
  if (!route.is_root() || !all_final) return std::nullopt;
  return board.ranked().front();
}

}  // namespace

std::vector<Refit> choose_refits(const SearchResults& results, const GatherRoute& route, const Communicator& world) {
  const Plan& plan = results.context.plan;
  const std::optional<TrialSummary> best = find_best(results, route);
  std::vector<IndexRange> of_best;
  if (best) of_best.push_back(plan.iterations_of_trial(best->stage, best->trial));
  world.broadcast_vector(of_best);
  if (of_best.empty()) return {};
  std::vector<TrainedIteration> fits;
  visit_results(results, of_best.front(), route,
                [&](const JournaledIteration& iteration) { fits.push_back(iteration.trained); });
  if (!best) return {};
  const auto refit = refit_of(best->trial, plan.trial(best->trial).train, fits);
  if (refit) return {*refit};
  warn_root("there is no refit (no training of the best trial finished).");
  return {};
}

}  // namespace sheaf
