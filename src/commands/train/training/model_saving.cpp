// SPDX-License-Identifier: MIT
#include "commands/train/training/model_saving.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "engines/torch_backend.hpp"
#include "files/replace_file.hpp"
#include "models/torchscript_archive.hpp"
#include "runs/directory/run_directory.hpp"
#include "study/losses.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

std::string path_of(const SavedModels& models, std::int64_t number) {
  return models_directory(models.run_directory) + "/" + model_name(models.plan, number);
}

class ModelSavingEngine : public Engine {
 public:
  ModelSavingEngine(std::unique_ptr<Engine> engine, SavedModels models)
      : engine_(std::move(engine)), models_(std::move(models)) {}

  bool train(const std::vector<IndexRange>& claim, const TrainedIterationSink& sink,
             const std::function<bool()>& stop_requested) override {
    const auto write_first = [&](TrainedIteration&& trained) {
      if (!trained.network.parameters.empty()) write(trained.result.iteration, trained);
      sink(std::move(trained));
    };
    return engine_->train(claim, write_first, stop_requested);
  }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    engine_->train_ahead(plan, iterations, stop_requested);
  }

 private:
  // Moves the network out of `trained`, since no later step needs it.
  void write(std::int64_t number, TrainedIteration& trained) const {
    const Trial trial = models_.plan.trial(models_.plan.iteration(number).trial);
    const SavedModel model{{trial.model, models_.study.data.task, loss_function(trial.train), models_.shape,
                            models_.data, quantiles_of(trial.train)},
                           std::exchange(trained.network, {}),
                           std::exchange(trained.scaling, {})};
    const std::string path = path_of(models_, number);
    if (has_layout(trial.model.kind))
      write_whole_file(path, [&model](const ByteSink& sink) { write_torchscript_archive(model, sink); });
    else
      write_whole_file(path, torch_backend().script_model_file_bytes(model));
  }

  std::unique_ptr<Engine> engine_;
  SavedModels models_;
};

bool is_written(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
}

// For run.models = all.
void warn_of_missing_models(const SavedModels& models, const RunResults& results) {
  std::int64_t written = 0, first_missing = -1;
  for (std::int64_t number = 0; number < results.iterations; ++number) {
    if (is_written(path_of(models, number)))
      ++written;
    else if (first_missing < 0)
      first_missing = number;
  }
  const std::int64_t trained = results.finished();
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

// The first of these iterations whose model is not saved.
std::optional<std::int64_t> find_missing(const SavedModels& models, IndexRange iterations) {
  for (std::int64_t number = iterations.begin; number < iterations.end; ++number)
    if (!is_written(path_of(models, number))) return number;
  return std::nullopt;
}

// Why there is no list of the best model; empty: there is one, or a refit, or the run reports that no iteration has
// finished.
std::string problem_of_best(const SavedModels& models, const RunResults& results, bool has_refit) {
  if (has_refit || !results.any_finished()) return "";
  if (results.best_model.empty())
    return "there is no best model (one or more members of every model did not finish). Lower train.learning_rate, or "
           "see the messages in results.csv.";
  const auto missing = find_missing(models, results.best_model);
  return !missing ? ""
                  : fmt::format(
                        "best.txt was not written ('{}' is missing: it was removed, or an earlier job trained "
                        "the iteration without run.models). Train the study again with another run.output.",
                        path_of(models, *missing));
}

// Why there is no list of the refit; empty: there is one.
std::string problem_of_refit(const SavedModels& models, const RefitResult& refit) {
  if (refit.finished < refit.iterations.count())
    return "the refit has no models (one or more of its trainings did not finish), so the run predicts with its best "
           "model. See the messages in results.csv.";
  const auto missing = find_missing(models, refit.iterations);
  return !missing ? ""
                  : fmt::format(
                        "refit.txt was not written ('{}' is missing: it was removed). Train the study again "
                        "with another run.output.",
                        path_of(models, *missing));
}

// Writes the list of the models of these iterations and returns their paths in the run directory. Without iterations
// there is no list: an earlier job may have written one.
std::vector<std::string> write_list(const Plan& plan, const std::string& list, IndexRange iterations) {
  const std::vector<std::string> names = file_names(plan, iterations);
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back("models/" + name);
  if (names.empty())
    remove_model(list);
  else
    write_whole_file(list, fmt::format("{}\n", fmt::join(names, "\n")));
  return paths;
}

}  // namespace

void remove_model(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  require(!error,
          fmt::format("'{}' cannot be removed ({}). Correct the directory's permissions.", path, error.message()));
}

bool has_models(const SavedModels& models, IndexRange iterations) {
  for (std::int64_t number = iterations.begin; number < iterations.end; ++number)
    if (!is_written(path_of(models, number))) return false;
  return true;
}

std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models) {
  return std::make_unique<ModelSavingEngine>(std::move(engine), std::move(models));
}

void write_model_lists(const SavedModels& models, RunResults& results) {
  if (models.study.run.models == ModelsSaved::all) warn_of_missing_models(models, results);
  IndexRange refit;
  if (results.refit) {
    const RefitResult& of_best = *results.refit->of(results.trials.front().trial);
    const auto problem = problem_of_refit(models, of_best);
    if (!problem.empty()) warn_root(problem);
    if (problem.empty()) refit = of_best.iterations;
  }
  const bool has_refit = !refit.empty();
  if (const auto problem = problem_of_best(models, results, has_refit); !problem.empty()) warn_root(problem);
  const bool has_best = !find_missing(models, results.best_model);
  results.best_models =
      write_list(models.plan, best_model_list(models.run_directory), has_best ? results.best_model : IndexRange{});
  const auto refit_models = write_list(models.plan, refit_model_list(models.run_directory), refit);
  if (results.refit) results.refit->models = refit_models;
}

void use_refits(const SavedModels& models, const std::optional<RefitResults>& refits, TrialEnsemble& ensemble) {
  for (EnsembleMember& member : ensemble.members) {
    const RefitResult* const refit = refits ? refits->of(member.trial) : nullptr;
    if (refit == nullptr || refit->finished < refit->iterations.count() || find_missing(models, refit->iterations))
      continue;
    member.is_refit = true;
    member.files = file_names(models.plan, refit->iterations);
  }
}

namespace {

// Of a search that has gone on after them.
void remove_other_refits(const SavedModels& models) {
  const std::vector<std::string> names = file_names(models.plan, models.plan.refit_iterations());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(models_directory(models.run_directory), ignored)) {
    const std::string name = entry.path().filename().string();
    const bool is_refit = name.rfind("refit-", 0) == 0 && entry.path().extension() == ".pt";
    if (is_refit && std::find(names.begin(), names.end(), name) == names.end()) remove_model(entry.path().string());
  }
}

}  // namespace

void remove_other_models(const SavedModels& models, const RunResults& results) {
  if (models.plan.has_refit()) remove_other_refits(models);
  if (models.study.run.models != ModelsSaved::best || results.models().empty()) return;
  const Plan& plan = models.plan;
  const TrialSummary& best = results.trials.front();
  const std::int64_t last = plan.search_stages() - 1;  // which trains members to the end
  std::vector<IndexRange> kept = {plan.iterations_of_trial(best.stage, best.trial)};
  if (results.trial_ensemble)
    for (const EnsembleMember& member : results.trial_ensemble->members)
      kept.push_back(plan.iterations_of_trial(last, member.trial));
  std::sort(kept.begin(), kept.end(), [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
  kept.push_back({plan.search_iterations().end, plan.search_iterations().end});
  std::int64_t number = 0;
  for (const IndexRange& range : kept) {
    for (; number < range.begin; ++number) remove_model(path_of(models, number));
    number = std::max(number, range.end);
  }
}

}  // namespace sheaf
