// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluated_model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "engines/model_opening.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "runs/search_stages.hpp"
#include "search/search_table.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

// "12 of 48 iterations remain", counted in the current stage.
std::string remaining_text(const RunReader& run, const Study& study) {
  const auto identity = run.identity();
  if (!identity) return "no iteration has finished yet";
  const auto searcher = make_searcher(study);
  Plan plan(study);
  SearchStages stages(*searcher, plan);
  stages.choose_next();
  constexpr bool forced = true;  // the expected header is that of the first journal
  const RunProgress progress = run.progress(stages, *identity, forced);
  std::int64_t left = 0;
  for (const IndexRange& range : progress.left) left += range.count();
  return fmt::format("{} of {} iterations{} remain", left, stages.last_iterations().count(), stages.last_stage_text());
}

// The files of the run's best model.
std::vector<std::string> best_files(const std::string& directory) {
  const RunReader run(directory);
  auto files = run.best_models();
  if (!files.empty()) return files;
  const auto refuse = [&](const std::string& reason, const std::string& advice) {
    throw RunError(fmt::format("'{}' has no best model ({}). {}.", directory, reason, advice));
  };
  if (!holds_run(directory)) refuse("it is not a run directory", "Pass a run directory or a model file");
  constexpr bool forced = true;  // runs of other versions are accepted
  const Study study = run.study(forced);
  if (study.run.models == ModelsSaved::none)
    refuse("run.models = none", "Run the study with --run.models=best and another run.output");
  if (!run.has_results()) refuse(remaining_text(run, study), "Continue with: " + resume_command_of(directory));
  refuse(fmt::format("'{}' is missing: no model of the best trial finished, or the file was removed",
                     best_model_list(directory)),
         "Select a model with --iteration");
  return {};
}

Task task_of(const EvaluationRequest& request, const OpenedModel& model, const EvaluatedRows& rows) {
  if (request.task) return *request.task;
  if (model.trained) return model.trained->description.task;
  const StoredRows* targets = rows.targets();
  return targets != nullptr && targets->info().number_class == NumberClass::integer ? Task::classification
                                                                                    : Task::regression;
}

LossKind loss_of(const EvaluationRequest& request, const OpenedModel& model, Task task) {
  if (request.loss) return *request.loss;
  if (model.trained && model.trained->description.task == task) return model.trained->description.loss;
  return task == Task::classification ? LossKind::cross_entropy : LossKind::mse;
}

void check_targets(const EvaluationRequest& request, const StoredRows& targets, const Scoring& scoring) {
  const std::int64_t expected = scoring.task == Task::classification ? 1 : scoring.output_count;
  require(targets.info().row_elements() == expected,
          fmt::format("The {} {} does not fit model '{}' ({}). Use data that match the model.", targets.description(),
                      shape_text(targets.info().shape), request.model,
                      scoring.task == Task::classification ? "a classifier needs one label per row"
                                                           : fmt::format("it has {} outputs", expected)));
}

}  // namespace

std::vector<std::string> model_files(const EvaluationRequest& request) {
  std::error_code ignored;
  const bool is_run = fs::is_directory(request.model, ignored);
  if (!is_run && request.iteration)
    throw UsageError(fmt::format("--iteration = {} requires a run directory ('{}' is a file). Leave it out.",
                                 *request.iteration, request.model));
  require(is_run || fs::exists(request.model, ignored),
          fmt::format("Model '{}' does not exist. Pass a model file or a run directory.", request.model));
  if (!is_run) return {request.model};
  if (!request.iteration) return best_files(request.model);
  const std::string file = model_path(request.model, *request.iteration);
  require(fs::exists(file, ignored),
          fmt::format("Iteration {} has no saved model ('{}' does not exist). Run the study with --run.models=all, or "
                      "select an iteration that has a file in the models directory.",
                      *request.iteration, file));
  return {file};
}

EvaluatedModel make_evaluated_model(const EvaluationRequest& request, LaneDevice device) {
  std::vector<OpenedModel> models;
  for (const auto& path : model_files(request)) models.push_back(load_model(path, request.run, device));
  EvaluatedRows rows(request.data, request.targets);
  Scoring scoring;
  scoring.task = task_of(request, models.front(), rows);
  scoring.loss = loss_of(request, models.front(), scoring.task);
  scoring.probabilities = models.size() > 1;
  scoring.output_count = find_output_count(models.front(), rows.row_shape());
  for (const auto& model : models)
    require(find_output_count(model, rows.row_shape()) == scoring.output_count,
            fmt::format("Models '{}' and '{}' have different numbers of outputs (they are not an ensemble). Evaluate "
                        "them one by one.",
                        models.front().path, model.path));
  if (scoring.task == Task::regression && scoring.loss != LossKind::mse)
    throw UsageError("--loss requires classes (the task is regression). Set --data.task=classification or --loss=mse.");
  if (request.data.classes != 0 && request.data.classes != scoring.output_count)
    throw RunError(fmt::format("data.classes = {} does not fit model '{}' (it has {} outputs). Leave it out.",
                               request.data.classes, request.model, scoring.output_count));
  if (scoring.task == Task::classification && scoring.output_count < 2)
    throw RunError(
        fmt::format("model '{}' has 1 output (a classifier needs one output per class, at least two). Set "
                    "--data.task=regression, or wrap the model in a module with two outputs.",
                    request.model));
  if (rows.targets() != nullptr) check_targets(request, *rows.targets(), scoring);
  if (rows.targets() == nullptr && request.predictions.empty())
    throw UsageError(
        fmt::format("there is nothing to compute ('{}' has no data set '{}' to compare with, and --predictions is not "
                    "set). Select the targets with --data.targets, or write predictions with --predictions=OUT.h5.",
                    request.data.file, request.data.targets));
  return {std::move(models), std::move(rows), scoring};
}

}  // namespace sheaf
