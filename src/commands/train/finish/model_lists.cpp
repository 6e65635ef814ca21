// SPDX-License-Identifier: MIT
#include "commands/train/finish/model_lists.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/log.hpp"
#include "core/text.hpp"
#include "files/directories.hpp"
#include "files/replace_file.hpp"
#include "runs/directory/run_directory.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

// For run.models = all.
void warn_of_missing_models(const SavedModels& models, const RunResults& results) {
  std::int64_t written = 0, first_missing = -1;
  for (std::int64_t number = 0; number < results.iterations; ++number) {
    if (!find_missing_model(models, {number, number + 1}))
      ++written;
    else if (first_missing < 0)
      first_missing = number;
  }
  const std::int64_t trained = results.with_model();
  if (written < trained)
    warn_root(
        fmt::format("'{}' has only {} of {} (that of iteration {} is missing: its file was removed, or an earlier job "
                    "trained it without run.models = all). Train the study again with another run.output.",
                    models_directory(models.run_directory), written, counted(trained, "model"), first_missing));
}

std::vector<std::string> file_names(const Plan& plan, IndexRange iterations) {
  std::vector<std::string> names;
  for (std::int64_t number = iterations.begin; number < iterations.end; ++number)
    names.push_back(model_name(plan, number));
  return names;
}

// Why the list of these models is not written: the first one that is missing, and the reason; empty: none is.
std::string missing_text(const SavedModels& models, IndexRange iterations, const std::string& list,
                         const std::string& reason) {
  const auto missing = find_missing_model(models, iterations);
  return !missing
             ? ""
             : fmt::format("{} was not written ('{}' is missing: {}). Train the study again with another run.output.",
                           list, saved_model_path(models, *missing), reason);
}

// Why there is no list of the best model; empty: there is one, or a refit, or the run reports that no iteration has
// finished.
std::string problem_of_best(const SavedModels& models, const RunResults& results, bool has_refit) {
  if (has_refit || !results.any_model()) return "";
  if (results.best_model.empty())
    return "there is no best model (one or more members of every model did not finish). Lower train.learning_rate, or "
           "see the messages in results.csv.";
  return missing_text(models, results.best_model, "best.txt",
                      "it was removed, or an earlier job trained the iteration without run.models");
}

// Why there is no list of the refit; empty: there is one.
std::string problem_of_refit(const SavedModels& models, const RefitResult& refit) {
  if (refit.finished < refit.iterations.count())
    return "the refit has no models (one or more of its trainings did not finish), so the run predicts with its best "
           "model. See the messages in results.csv.";
  return missing_text(models, refit.iterations, "refit.txt", "it was removed");
}

// Writes the list of the models of these iterations and returns their paths in the run directory. Without iterations
// there is no list: an earlier job may have written one.
std::vector<std::string> write_list(const Plan& plan, const std::string& list, IndexRange iterations) {
  const std::vector<std::string> names = file_names(plan, iterations);
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back("models/" + name);
  if (names.empty())
    remove_file(list);
  else
    write_whole_file(list, fmt::format("{}\n", fmt::join(names, "\n")));
  return paths;
}

// Of a search that has gone on after them.
void remove_other_refits(const SavedModels& models) {
  const std::vector<std::string> names = file_names(models.plan, models.plan.refit_iterations());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(models_directory(models.run_directory), ignored)) {
    const std::string name = entry.path().filename().string();
    const auto ends_as = [&](ModelKind kind) { return entry.path().extension() == model_file_ending(kind); };
    const bool is_refit =
        name.rfind("refit-", 0) == 0 && (ends_as(ModelKind::mlp) || ends_as(ModelKind::boosted_trees));
    if (is_refit && std::find(names.begin(), names.end(), name) == names.end()) remove_file(entry.path().string());
  }
}

}  // namespace

void write_model_lists(const SavedModels& models, RunResults& results) {
  if (models.study.models() == ModelsSaved::all) warn_of_missing_models(models, results);
  IndexRange refit;
  if (const RefitResult* const of_best = results.best_refit()) {
    const auto problem = problem_of_refit(models, *of_best);
    if (!problem.empty()) warn_root(problem);
    if (problem.empty()) refit = of_best->iterations;
  }
  const bool has_refit = !refit.empty();
  if (const auto problem = problem_of_best(models, results, has_refit); !problem.empty()) warn_root(problem);
  const bool has_best = !find_missing_model(models, results.best_model);
  results.best_models =
      write_list(models.plan, best_model_list(models.run_directory), has_best ? results.best_model : IndexRange{});
  const auto refit_models = write_list(models.plan, refit_model_list(models.run_directory), refit);
  if (results.refit) results.refit->models = refit_models;
}

void use_refits(const SavedModels& models, const std::optional<RefitResults>& refits, TrialEnsemble& ensemble) {
  for (EnsembleMember& member : ensemble.members) {
    const RefitResult* const refit = refits ? refits->of(member.trial) : nullptr;
    if (refit == nullptr || refit->finished < refit->iterations.count() ||
        find_missing_model(models, refit->iterations))
      continue;
    member.is_refit = true;
    member.files = file_names(models.plan, refit->iterations);
  }
}

void remove_other_models(const SavedModels& models, const RunResults& results) {
  if (models.plan.has_refit()) remove_other_refits(models);
  if (models.study.models() != ModelsSaved::best || results.models().empty()) return;
  const Plan& plan = models.plan;
  const TrialSummary& best = results.trials.front();
  const std::int64_t last = plan.search_stages() - 1;  // which trains members to the end
  std::vector<IndexRange> kept = plan.fits_of_trial(best.stage, best.trial);
  if (results.trial_ensemble)
    for (const EnsembleMember& member : results.trial_ensemble->members)
      for (const IndexRange& fits : plan.fits_of_trial(last, member.trial)) kept.push_back(fits);
  std::sort(kept.begin(), kept.end(), [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
  kept.push_back({plan.search_iterations().end, plan.search_iterations().end});
  std::int64_t number = 0;
  for (const IndexRange& range : kept) {
    for (; number < range.begin; ++number) remove_file(saved_model_path(models, number));
    number = std::max(number, range.end);
  }
}

}  // namespace sheaf
