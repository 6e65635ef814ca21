// SPDX-License-Identifier: MIT
#include "commands/train/training/model_saving.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    const std::string path = model_path(models_.run_directory, number);
    if (has_layout(trial.model.kind))
      write_whole_file(path, [&model](const ByteSink& sink) { write_torchscript_archive(model, sink); });
    else
      write_whole_file(path, torch_backend().script_model_file_bytes(model));
  }

  std::unique_ptr<Engine> engine_;
  SavedModels models_;
};

void remove_model(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  require(!error,
          fmt::format("'{}' cannot be removed ({}). Correct the directory's permissions.", path, error.message()));
}

bool is_written(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
}

// For run.models = all.
void warn_of_missing_models(const SavedModels& models, const RunResults& results) {
  std::int64_t written = 0, first_missing = -1;
  for (std::int64_t number = 0; number < results.iterations; ++number) {
    if (is_written(model_path(models.run_directory, number)))
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

std::string file_name(std::int64_t number) {
  return fmt::format("iteration-{}.pt", number);
}

// The first of these iterations whose model is not saved.
std::optional<std::int64_t> find_missing(const SavedModels& models, IndexRange iterations) {
  for (std::int64_t number = iterations.begin; number < iterations.end; ++number)
    if (!is_written(model_path(models.run_directory, number))) return number;
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
                        model_path(models.run_directory, *missing));
}

// Why there is no list of the refit; empty: there is one.
std::string problem_of_refit(const SavedModels& models, const RefitResults& refit, IndexRange iterations) {
  if (refit.finished() < refit.iterations())
    return "the refit has no models (one or more of its trainings did not finish), so the run predicts with its best "
           "model. See the messages in results.csv.";
  const auto missing = find_missing(models, iterations);
  return !missing ? ""
                  : fmt::format(
                        "refit.txt was not written ('{}' is missing: it was removed). Train the study again "
                        "with another run.output.",
                        model_path(models.run_directory, *missing));
}

// Writes the list of the models of these iterations and returns their paths in the run directory. Without iterations
// there is no list: an earlier job may have written one.
std::vector<std::string> write_list(const std::string& list, IndexRange iterations) {
  std::vector<std::string> names, paths;
  for (std::int64_t number = iterations.begin; number < iterations.end; ++number) {
    names.push_back(file_name(number));
    paths.push_back("models/" + names.back());
  }
  if (names.empty())
    remove_model(list);
  else
    write_whole_file(list, fmt::format("{}\n", fmt::join(names, "\n")));
  return paths;
}

}  // namespace

std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models) {
  return std::make_unique<ModelSavingEngine>(std::move(engine), std::move(models));
}

void write_model_lists(const SavedModels& models, RunResults& results, bool left) {
  const Plan& plan = models.plan;
  if (models.study.run.models == ModelsSaved::all) warn_of_missing_models(models, results);
  IndexRange refit = plan.refit_iterations();
  if (results.refit)
    if (const auto problem = problem_of_refit(models, *results.refit, refit); !problem.empty()) {
      warn_root(problem);
      refit = {};
    }
  const bool has_refit = !refit.empty();
  if (const auto problem = problem_of_best(models, results, has_refit); !problem.empty()) warn_root(problem);
  const bool has_best = !find_missing(models, results.best_model);
  results.best_models = write_list(best_model_list(models.run_directory), has_best ? results.best_model : IndexRange{});
  const auto refit_models = write_list(refit_model_list(models.run_directory), refit);
  if (results.refit) results.refit->models = refit_models;
  if (left || models.study.run.models != ModelsSaved::best || results.models().empty()) return;
  const TrialSummary& best = results.trials.front();
  const IndexRange kept = plan.iterations_of_trial(best.stage, best.trial);
  for (std::int64_t number = 0; number < plan.search_iterations().end; ++number)
    if (!kept.has(number)) remove_model(model_path(models.run_directory, number));
}

}  // namespace sheaf
