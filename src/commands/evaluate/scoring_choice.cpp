// SPDX-License-Identifier: MIT
#include "commands/evaluate/scoring_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "data/data_description.hpp"
#include "data/import/import_files.hpp"
#include "data/stored_offsets.hpp"
#include "engines/model_opening.hpp"
#include "files/hdf5/data_set.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/named_class.hpp"

namespace sheaf {
namespace {

Task task_of(const EvaluationRequest& request, const OpenedModel& model, const EvaluatedRows& rows) {
  if (request.task) return *request.task;
  if (model.trained) return model.trained->description.task;
  const TargetsInfo* targets = rows.targets();
  if (targets != nullptr && targets->several_labels) return Task::multilabel;
  return targets != nullptr && (targets->integers || targets->texts) ? Task::classification : Task::regression;
}

LossFunction choose_loss(const EvaluationRequest& request, const OpenedModel& model, Task task) {
  if (model.trained &&
      request.loss.value_or(model.trained->description.loss.kind) == model.trained->description.loss.kind)
    return model.trained->description.loss;
  if (request.loss) return *request.loss;
  return default_loss(task);
}

// "it predicts numbers"
const char* predicted_things(Task task) {
  return task == Task::regression ? "numbers" : task == Task::multilabel ? "labels" : "classes";
}

// `is_foreign`: the model was not saved by sheaf, so the task may be another one.
void check_targets(const EvaluationRequest& request, const TargetsInfo& targets, const Scoring& scoring,
                   bool is_foreign) {
  require(!targets.texts || scoring.task == Task::classification,
          fmt::format("The {} contains text, but model '{}' predicts numbers. Use data that match the model.",
                      targets.text, request.model));
  const bool has_one = scoring.task == Task::classification || !scoring.quantiles.empty();
  const std::int64_t expected = has_one ? 1 : scoring.output_count;
  const bool may_be_classes = is_foreign && !request.task && scoring.task == Task::regression && targets.columns() == 1;
  const bool may_be_one_hot = scoring.task == Task::classification && targets.columns() == scoring.output_count;
  require(targets.columns() == expected || may_be_one_hot,
          fmt::format("The {} {} does not fit model '{}' ({}). Use data that match the model{}.", targets.text,
                      shape_text(targets.shape), request.model,
                      scoring.task == Task::classification ? "a classifier needs one label per row"
                      : has_one                            ? "it predicts quantiles of one target"
                                                           : fmt::format("it has {} outputs", expected),
                      may_be_classes ? ", or set --data.task=classification if the targets are class numbers" : ""));
}

// Throws UsageError if the model makes other predictions of its outputs than this loss needs.
void require_same_link(const EvaluationRequest& request, const OpenedModel& model, const Loss& loss) {
  if (!model.trained && loss.has_quantiles())
    throw UsageError(fmt::format("--loss = {} does not fit model '{}' (its quantiles are not known). Leave it out.",
                                 loss.name, request.model));
  if (!model.trained) return;
  const Loss& own = loss_of(model.trained->description.loss.kind);
  if (own.has_quantiles() != loss.has_quantiles())
    throw UsageError(fmt::format("--loss = {} does not fit model '{}' (it was trained with {}). Leave it out.",
                                 loss.name, request.model, own.name));
  if (own.needs_counts() != loss.needs_counts())
    throw UsageError(fmt::format("--loss = {} does not fit model '{}' (it was trained with {}, and {}). Leave it out.",
                                 loss.name, request.model, own.name,
                                 own.needs_counts() ? "its outputs are logarithms" : "its outputs are not logarithms"));
  if (own.link != loss.link)
    throw UsageError(
        fmt::format("--loss = {} does not fit model '{}' (it was trained with {}, which makes other "
                    "predictions of its outputs). Leave it out.",
                    loss.name, request.model, own.name));
}

// Chooses task, loss and outputs, and checks them against the request.
Scoring scoring_of(const EvaluationRequest& request, const EvaluatedModel& evaluated) {
  const auto& models = evaluated.models;
  const EvaluatedRows& rows = *evaluated.rows;
  const auto& trained = models.front().trained;
  if (trained && request.task && *request.task != trained->description.task)
    throw UsageError(fmt::format("--data.task does not fit model '{}' (it predicts {}). Leave it out.", request.model,
                                 predicted_things(trained->description.task)));
  Scoring scoring;
  scoring.task = task_of(request, models.front(), rows);
  scoring.loss = choose_loss(request, models.front(), scoring.task);
  if (trained) scoring.quantiles = trained->description.quantiles;
  scoring.probabilities = models.size() > 1;
  scoring.output_count = find_output_count(models.front(), rows.row_shape());
  for (const auto& model : models)
    require(find_output_count(model, rows.row_shape()) == scoring.output_count,
            fmt::format("Models '{}' and '{}' have different numbers of outputs (they are not an ensemble). Evaluate "
                        "them one by one.",
                        models.front().path, model.path));
  const Loss& loss = loss_of(scoring.loss.kind);
  if (scoring.task == Task::regression && loss.needs_classes())
    throw UsageError(fmt::format("--loss = {} requires classes (the task is regression). {}.", loss.name,
                                 trained ? "Leave it out" : "Set --data.task=classification or --loss=mse"));
  if (scoring.task == Task::classification && loss.needs_numbers())
    throw UsageError(
        fmt::format("--loss = {} requires numbers as targets (the task is classification). Leave it out.", loss.name));
  if (scoring.task == Task::multilabel && !loss.fits_labels())
    throw UsageError(fmt::format(
        "--loss = {} does not fit several labels per row (each needs a probability of its own). Leave it out.",
        loss.name));
  require_same_link(request, models.front(), loss);
  if (request.data.classes != 0 && request.data.classes != scoring.output_count)
    throw RunError(fmt::format("data.classes = {} does not fit model '{}' (it has {} outputs). Leave it out.",
                               request.data.classes, request.model, scoring.output_count));
  if (scoring.task == Task::classification && scoring.output_count < 2)
    throw RunError(
        fmt::format("model '{}' has 1 output (a classifier needs one output per class, at least two). Set "
                    "--data.task=regression, or wrap the model in a module with two outputs.",
                    request.model));
  if (rows.targets() != nullptr) check_targets(request, *rows.targets(), scoring, !trained);
  if (request.outputs != automatic && scoring.task == Task::regression)
    throw UsageError(fmt::format("--outputs requires classes or labels (the task is regression). Leave it out{}.",
                                 trained ? "" : ", or set --data.task=classification"));
  if (request.outputs == OutputKind::probabilities && trained)
    throw UsageError(
        fmt::format("--outputs = probabilities does not fit model '{}' (models saved by sheaf give logits). "
                    "Leave it out.",
                    request.model));
  return scoring;
}

// Chooses the positive one of two classes, and the probability from which on it, or a label, is predicted. Local.
void choose_positive(const EvaluationRequest& request, EvaluatedModel& evaluated) {
  Scoring& scoring = evaluated.scoring;
  const char* const option = request.positive.empty() ? "--threshold" : "--positive";
  if (!request.threshold && request.positive.empty()) return;
  if (!request.threshold && evaluated.rows->targets() == nullptr)
    throw UsageError("--positive has no effect on predictions without --threshold. Set --threshold, or leave it out.");
  const bool has_two_classes = scoring.task == Task::classification && scoring.output_count == 2;
  const bool fits_labels = scoring.task == Task::multilabel && request.positive.empty();
  if (!has_two_classes && !fits_labels)
    throw UsageError(fmt::format("{} needs two classes{} (model '{}' {}). Leave it out.", option,
                                 request.positive.empty() ? " or several labels per row" : "", request.model,
                                 scoring.task == Task::classification
                                     ? fmt::format("has {} classes", scoring.output_count)
                                     : fmt::format("predicts {}", predicted_things(scoring.task))));
  if (request.threshold && scoring.link() == Link::none)
    throw UsageError(
        fmt::format("--threshold needs probabilities (with the loss {}, outputs are not probabilities). "
                    "Leave it out.",
                    loss_of(scoring.loss.kind).name));
  if (!request.positive.empty()) {
    const auto positive = find_class(request.positive, evaluated.class_names(), scoring.output_count);
    require(positive.has_value(), [&] {
      return class_problem(fmt::format("--positive = {}", request.positive), request.positive, evaluated.class_names(),
                           scoring.output_count, fmt::format("model '{}'", request.model));
    });
    scoring.positive = *positive;
  }
  evaluated.threshold = request.threshold;
}

// Chooses the offsets of targets and outputs: those of the models, otherwise those of the targets. Local.
void choose_target_offsets(EvaluatedModel& evaluated) {
  if (evaluated.scoring.task != Task::regression || evaluated.scoring.link() != Link::none) return;
  evaluated.target_offsets = evaluated.description().target_offsets;
  if (!evaluated.target_offsets.empty() || evaluated.rows->targets() == nullptr) return;
  evaluated.target_offsets = evaluated.rows->find_target_offsets();
  for (OpenedModel& model : evaluated.models)
    model.output_offsets = repeated_offsets(evaluated.target_offsets, evaluated.scoring.output_count);
}

}  // namespace

void choose_scoring(const EvaluationRequest& request, EvaluatedModel& evaluated) {
  evaluated.scoring = scoring_of(request, evaluated);
  choose_positive(request, evaluated);
  choose_target_offsets(evaluated);
  evaluated.scoring.target_offsets = repeated_offsets(evaluated.target_offsets, evaluated.scoring.output_count);
  evaluated.gives_probabilities = request.outputs == OutputKind::probabilities;
}

MetricFunction checked_metric(const std::string& option, const MetricChoice& metric, const EvaluationRequest& request,
                              const EvaluatedModel& evaluated) {
  const Scoring& scoring = evaluated.scoring;
  if (!applies_to(metric.metric(), scoring.task, scoring.loss.kind))
    throw UsageError(
        fmt::format("{} = {} does not apply to model '{}' ({}). Leave it out.", option, metric.name(), request.model,
                    !metric.metric().applies_to(scoring.task)
                        ? fmt::format("it predicts {}", predicted_things(scoring.task))
                        : fmt::format("with the loss {}, its outputs {}", loss_of(scoring.loss.kind).name,
                                      metric.metric().losses == MetricLosses::quantiles ? "have no quantiles"
                                                                                        : "are not probabilities")));
  if (const auto problem = quantile_problem(option, metric, scoring.quantiles); !problem.empty())
    throw UsageError(problem);
  const auto names = evaluated.class_names();
  const std::string problem =
      metric_problem(option, metric, names, scoring.output_count, fmt::format("model '{}'", request.model));
  require(problem.empty(), problem);
  return *metric_function(metric, names, scoring.output_count);
}

void choose_metrics(const EvaluationRequest& request, EvaluatedModel& evaluated) {
  const Scoring& scoring = evaluated.scoring;
  if (!request.metrics.empty() && evaluated.rows->targets() == nullptr)
    throw UsageError(fmt::format("--metrics needs targets ('{}' has none). Leave it out.", request.data.file));
  std::vector<std::pair<MetricChoice, MetricFunction>> chosen;
  for (const Metric& metric : metric_table)
    if (metric.parameter == MetricParameter::none && applies_to(metric, scoring.task, scoring.loss.kind) &&
        quantile_problem("", metric.kind, scoring.quantiles).empty())
      chosen.emplace_back(metric.kind, metric.kind);
  for (const MetricChoice& metric : request.metrics) {
    const MetricFunction function = checked_metric("--metrics", metric, request, evaluated);
    if (metric.metric().parameter != MetricParameter::none) chosen.emplace_back(metric, function);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return a.first.kind < b.first.kind; });
  for (const auto& [metric, function] : chosen) {
    evaluated.metrics.push_back(metric);
    evaluated.functions.push_back(function);
  }
}

std::string targets_advice(const std::string& file) {
  const auto format = format_of(file);
  if (format == ImportFormat::npy) return "Store features and targets as X and y of a .npz file";
  return fmt::format("Select the targets with {}", format == ImportFormat::csv ? "--label" : "--data.targets");
}

}  // namespace sheaf
