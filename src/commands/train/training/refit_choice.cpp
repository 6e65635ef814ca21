// SPDX-License-Identifier: MIT
#include "commands/train/training/refit_choice.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "commands/train/training/ensemble_score.hpp"
#include "commands/train/training/ensemble_selection.hpp"
#include "commands/train/training/predicted_rows.hpp"
#include "core/error.hpp"
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

// Ranks the trials of the search. For rank 0.
class TrialRanking {
 public:
  explicit TrialRanking(const SearchResults& results)
      : results_(results), board_(results.context.plan, ranking_of(results.context.study)) {
    files_ = results.earlier.files;
    files_.insert(files_.end(), results.journals.begin(), results.journals.end());
    ensembles_.emplace(results.context, files_);
    if (results.context.study.ensemble() == EnsembleKind::greedy) selection_.emplace(results.context, files_);
  }

  // Adds the next iteration of the search, in order.
  void add(const JournaledIteration& iteration) {
    all_final_ = all_final_ && results_.stages.is_final(iteration.trained.result);
    const auto ensemble = ensembles_->add(iteration);
    board_.add(iteration.trained.result, ensemble ? &*ensemble : nullptr, iteration.trained.metrics);
    if (selection_ && predicted_rows(results_.context, iteration) > 0) selection_->add(iteration);
  }

  // The trials to train again, best first: the first one of the leaderboard, and the members of the ensemble of trials.
  // Empty if a result is not final, or if no trial of a search has finished in all folds.
  std::vector<TrialSummary> best() {
    if (!all_final_) {
      warn_root(
          "the refit is not trained, because iterations of the search failed. Correct the cause, and resume the run.");
      return {};
    }
    std::vector<TrialSummary> ranked = board_.ranked();
    const TrialSummary& first = ranked.front();
    if (results_.context.study->search.searches() && first.finished < first.iterations) {
      warn_root("there is no refit (no trial has finished in all folds).");
      return {};
    }
    std::set<std::int64_t> chosen = members_among(ranked);
    chosen.insert(first.trial);
    ranked.erase(std::remove_if(ranked.begin(), ranked.end(),
                                [&](const TrialSummary& trial) { return chosen.count(trial.trial) == 0; }),
                 ranked.end());
    return ranked;
  }

 private:
  std::set<std::int64_t> members_among(const std::vector<TrialSummary>& ranked) const try {
    std::set<std::int64_t> members;
    if (!selection_) return members;
    const auto is_saved = [this](IndexRange iterations) { return !find_missing_model(results_.models, iterations); };
    if (const auto ensemble = selection_->select(ranked, is_saved, results_.threads))
      for (const EnsembleMember& member : ensemble->members) members.insert(member.trial);
    return members;
  } catch (const RunError&) {  // the end of the run selects again, and reports it
    return {};
  }

  const SearchResults& results_;
  std::vector<std::string> files_;
  Leaderboard board_;
  std::optional<EnsembleScore> ensembles_;
  std::optional<EnsembleSelection> selection_;  // with search.ensemble = greedy
  bool all_final_ = true;
};

// On rank 0. Collective.
std::vector<TrialSummary> find_trials(const SearchResults& results, const GatherRoute& route) {
  std::unique_ptr<TrialRanking> ranking;
  std::vector<TrialSummary> found;
  route.do_on_root([&] { ranking = std::make_unique<TrialRanking>(results); });
  visit_results(results, results.context.plan.search_iterations(), route,
                [&](const JournaledIteration& iteration) { ranking->add(iteration); });
  route.do_on_root([&] { found = ranking->best(); });
  return found;
}

}  // namespace

std::vector<Refit> choose_refits(const SearchResults& results, const GatherRoute& route, const Communicator& world) {
  const Plan& plan = results.context.plan;
  std::vector<TrialSummary> trials = find_trials(results, route);
  const std::optional<std::int64_t> best = trials.empty() ? std::nullopt : std::optional(trials.front().trial);
  std::sort(trials.begin(), trials.end(),
            [](const TrialSummary& one, const TrialSummary& other) { return one.trial < other.trial; });
  std::vector<IndexRange> fits_of;
  for (const TrialSummary& trial : trials)
    for (const IndexRange& range : plan.fits_of_trial(trial.stage, trial.trial)) fits_of.push_back(range);
  world.broadcast_vector(fits_of);
  std::map<std::int64_t, std::vector<TrainedIteration>> fits;  // by trial
  for (const IndexRange& range : fits_of)
    visit_results(results, range, route, [&](const JournaledIteration& iteration) {
      fits[plan.iteration(iteration.trained.result.iteration).trial].push_back(iteration.trained);
    });
  std::vector<Refit> refits;
  route.do_on_root([&] {
    bool has_best = false;
    for (const auto& [trial, trained] : fits) {
      const auto refit = refit_of(trial, plan.trial(trial).train, trained);
      if (refit) refits.push_back(*refit);
      has_best = has_best || (refit && trial == best);
    }
    if (has_best) return;
    refits.clear();
    if (best) warn_root("there is no refit (no training of the best trial finished).");
  });
  return refits;
}

}  // namespace sheaf
