// SPDX-License-Identifier: MIT
#include "commands/train/training/model_saving.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
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

// The file names of the best model. Empty, with a warning, if there is no best model, without one if no iteration
// finished, which the run reports.
std::vector<std::string> best_names(const SavedModels& models, const RunResults& results) {
  const IndexRange best = results.best_model;
  if (best.empty() && results.any_finished())
    warn_root(
        "there is no best model (one or more members of every model did not finish). Lower train.learning_rate, or see "
        "the messages in results.csv.");
  std::vector<std::string> names;
  for (std::int64_t number = best.begin; number < best.end; ++number) {
    if (const std::string path = model_path(models.run_directory, number); !is_written(path)) {
      warn_root(
          fmt::format("best.txt was not written ('{}' is missing: it was removed, or an earlier job trained the "
                      "iteration without run.models). Train the study again with another run.output.",
                      path));
      return {};
    }
    names.push_back(fmt::format("iteration-{}.pt", number));
  }
  return names;
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
    if (!is_written(model_path(models.run_directory, number))) return false;
  return true;
}

std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models) {
  return std::make_unique<ModelSavingEngine>(std::move(engine), std::move(models));
}

std::vector<std::string> write_best_model(const SavedModels& models, const RunResults& results) {
  if (models.study.run.models == ModelsSaved::all) warn_of_missing_models(models, results);
  const std::vector<std::string> names = best_names(models, results);
  if (names.empty()) {
    remove_model(best_model_list(models.run_directory));  // an earlier job may have written it
    return {};
  }
  write_whole_file(best_model_list(models.run_directory), fmt::format("{}\n", fmt::join(names, "\n")));
  std::vector<std::string> paths;
  for (const auto& name : names) paths.push_back("models/" + name);
  return paths;
}

void remove_other_models(const SavedModels& models, const RunResults& results) {
  if (models.study.run.models != ModelsSaved::best || results.best_models.empty()) return;
  const Plan& plan = models.plan;
  const TrialSummary& best = results.trials.front();
  const IndexRange kept = plan.iterations_of_trial(best.stage, best.trial);
  std::set<std::string> of_members;
  if (results.trial_ensemble)
    for (const EnsembleMember& member : results.trial_ensemble->members)
      for (const std::string& file : member.files)
        of_members.insert(models_directory(models.run_directory) + "/" + file);
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number)
    if (const std::string path = model_path(models.run_directory, number);
        (number < kept.begin || number >= kept.end) && of_members.count(path) == 0)
      remove_model(path);
}

}  // namespace sheaf
