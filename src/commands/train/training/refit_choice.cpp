// SPDX-License-Identifier: MIT
#include "commands/train/training/refit_choice.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "commands/train/training/ensemble_score.hpp"
#include "commands/train/training/ensemble_selection.hpp"
#include "commands/train/training/predicted_rows.hpp"
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

// The trials to train again, in the order of their numbers: the first one of the leaderboard, and the members of the
// ensemble of trials. Empty if a result is not final. On rank 0. Collective.
std::vector<TrialSummary> find_trials(const SearchResults& results, const GatherRoute& route) {
  const TrainingContext& context = results.context;
  const Plan& plan = context.plan;
  std::vector<std::string> files = results.earlier.files;
  files.insert(files.end(), results.journals.begin(), results.journals.end());
  EnsembleScore ensembles(context, files);
  std::optional<EnsembleSelection> selection;
  if (route.is_root() && context.study.search.ensemble == EnsembleKind::greedy) selection.emplace(context, files);
  Leaderboard board(plan, ranking_of(context.study));
  bool all_final = true;
  visit_results(results, plan.search_iterations(), route, [&](const JournaledIteration& iteration) {
    all_final = all_final && results.stages.is_final(iteration.trained.result);
    const auto ensemble = ensembles.add(iteration);
    board.add(iteration.trained.result, ensemble ? &*ensemble : nullptr, iteration.trained.metrics);
    if (selection && predicted_rows(context, iteration) > 0) selection->add(iteration);
  });
  std::vector<TrialSummary> found;
  route.do_on_root([&] {
    if (!all_final) return;
    const std::vector<TrialSummary> ranked = board.ranked();
    std::optional<TrialEnsemble> ensemble;
    if (selection)
      ensemble = selection->select(
          ranked, [&](IndexRange iterations) { return has_models(results.models, iterations); }, results.threads);
    std::set<std::int64_t> trials = {ranked.front().trial};
    if (ensemble)
      for (const EnsembleMember& member : ensemble->members) trials.insert(member.trial);
    std::copy_if(ranked.begin(), ranked.end(), std::back_inserter(found),
                 [&](const TrialSummary& trial) { return trials.count(trial.trial) > 0; });
  });
  return found;
}

}  // namespace

std::vector<Refit> choose_refits(const SearchResults& results, const GatherRoute& route, const Communicator& world) {
  const Plan& plan = results.context.plan;
  std::vector<TrialSummary> trials = find_trials(results, route);
  const std::int64_t best = trials.empty() ? -1 : trials.front().trial;
  std::sort(trials.begin(), trials.end(),
            [](const TrialSummary& one, const TrialSummary& other) { return one.trial < other.trial; });
  std::vector<IndexRange> fits_of;
  for (const TrialSummary& trial : trials) fits_of.push_back(plan.iterations_of_trial(trial.stage, trial.trial));
  world.broadcast_vector(fits_of);
  std::vector<Refit> refits;
  for (std::size_t number = 0; number < fits_of.size(); ++number) {
    std::vector<TrainedIteration> fits;
    visit_results(results, fits_of[number], route,
                  [&](const JournaledIteration& iteration) { fits.push_back(iteration.trained); });
    if (!route.is_root()) continue;
    const std::int64_t trial = trials[number].trial;
    const auto refit = refit_of(trial, plan.trial(trial).train, fits);
    if (refit) refits.push_back(*refit);
    if (!refit && trial == best) warn_root("there is no refit (no training of the best trial finished).");
  }
  const bool has_best =
      std::any_of(refits.begin(), refits.end(), [&](const Refit& refit) { return refit.trial == best; });
  return has_best ? refits : std::vector<Refit>{};
}

}  // namespace sheaf
