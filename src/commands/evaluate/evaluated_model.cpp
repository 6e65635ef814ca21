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

// "12 of 48 iterations are left": of the stage that the run is at.
std::string what_is_left(const RunReader& run, const Study& study) {
  const auto identity = run.identity();
  if (!identity) return "it has trained nothing yet";
  const auto searcher = make_searcher(study);
  Plan plan(study);
  SearchStages stages(*searcher, plan);
  stages.name_next();
  constexpr bool forced = true;  // the journals are compared with their own first one
  const RunProgress progress = run.progress(stages, *identity, forced);
  std::int64_t left = 0;
  for (const IndexRange& range : progress.left) left += range.count();
  return fmt::format("{} of {} iterations{} are left", left, stages.last_iterations().count(),
                     stages.last_stage_text());
}

// The files of the run's best model.
std::vector<std::string> best_files(const std::string& directory) {
  const RunReader run(directory);
  auto files = run.best_models();
  if (!files.empty()) return files;
  const auto refuse = [&](const std::string& reason, const std::string& advice) {
    throw RunError(fmt::format("'{}' holds no best model ({}). {}.", directory, reason, advice));
  };
  if (!holds_run(directory)) refuse("it is not a run directory", "Name a run directory or a model file");
  constexpr bool forced = true;  // another version's run may have models, too
  const Study study = run.study(forced);
  if (study.run.models == ModelsSaved::none)
    refuse("run.models = none", "Run the study with --run.models=best in another run.output");
  if (!run.has_results()) refuse(what_is_left(run, study), "Continue with: " + resume_command_of(directory));
  refuse(fmt::format("'{}' is missing: no model of the best trial finished, or it was removed",
                     best_model_list(directory)),
         "Choose a model by --iteration");
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
  const std::int64_t wanted = scoring.task == Task::classification ? 1 : scoring.output_count;
  require(targets.info().row_elements() == wanted,
          fmt::format("The {} {} does not fit model '{}' ({}). Give it the data that it was made for.",
                      targets.description(), shape_text(targets.info().shape), request.model,
                      scoring.task == Task::classification ? "a classifier takes one label a row"
                                                           : fmt::format("it has {} outputs", wanted)));
}

}  // namespace

std::vector<std::string> model_files(const EvaluationRequest& request) {
  std::error_code ignored;
  const bool is_run = fs::is_directory(request.model, ignored);
  if (!is_run && request.iteration)
    throw UsageError(fmt::format("--iteration = {} goes with a run directory ('{}' is none). Leave it out.",
                                 *request.iteration, request.model));
  require(is_run || fs::exists(request.model, ignored),
          fmt::format("There is no model '{}' (no such file or directory). Name a model file or a run directory.",
                      request.model));
  if (!is_run) return {request.model};
  if (!request.iteration) return best_files(request.model);
  const std::string file = model_path(request.model, *request.iteration);
  require(fs::exists(file, ignored),
          fmt::format("There is no model of iteration {} ('{}' is not there). Run the study with --run.models=all, or "
                      "choose an iteration of its models folder.",
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
            fmt::format("The models '{}' and '{}' have different numbers of outputs (they are no ensemble). Evaluate "
                        "them one by one.",
                        models.front().path, model.path));
  if (scoring.task == Task::regression && scoring.loss != LossKind::mse)
    throw UsageError("--loss needs classes (the task is regression). Set --data.task=classification, or --loss=mse.");
  if (request.data.classes != 0 && request.data.classes != scoring.output_count)
    throw RunError(fmt::format("data.classes = {} does not fit model '{}' (it has {} outputs). Leave it out.",
                               request.data.classes, request.model, scoring.output_count));
  if (scoring.task == Task::classification && scoring.output_count < 2)
    throw RunError(
        fmt::format("model '{}' has 1 output (a classifier has one a class, two at least). Set "
                    "--data.task=regression, or wrap it in a module that gives both.",
                    request.model));
  if (rows.targets() != nullptr) check_targets(request, *rows.targets(), scoring);
  if (rows.targets() == nullptr && request.predictions.empty())
    throw UsageError(
        fmt::format("there is nothing to tell ('{}' has no data set '{}' to compare with, and "
                    "--predictions is not given). Name the targets by --data.targets, or write "
                    "--predictions=OUT.h5.",
                    request.data.file, request.data.targets));
  return {std::move(models), std::move(rows), scoring};
}

}  // namespace sheaf
