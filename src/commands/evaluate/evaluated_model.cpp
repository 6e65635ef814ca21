// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluated_model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "core/error.hpp"
#include "engines/model_opening.hpp"
#include "files/regular_file.hpp"
#include "runs/directory/run_directory.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

// The files that best.txt of a run lists.
std::vector<std::string> best_files(const std::string& run_directory) {
  const std::string path = best_model_list(run_directory);
  refuse_special_file(path);
  std::ifstream list(path);
  std::vector<std::string> files;
  for (std::string name; std::getline(list, name);) files.push_back(run_directory + "/models/" + name);
  require(!files.empty(), fmt::format("'{}' holds no best model ('{}' is not there: the run wrote no models, or is not "
                                      "complete). Run the study with --run.models=best.",
                                      run_directory, best_model_list(run_directory)));
  return files;
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
