// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluated_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "commands/evaluate/hdf5_rows.hpp"
#include "commands/evaluate/imported_rows.hpp"
#include "commands/line/data_file_names.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/file_schema.hpp"
#include "data/import/import_files.hpp"
#include "data/stored_offsets.hpp"
#include "engines/model_opening.hpp"
#include "files/hdf5/data_set.hpp"
#include "models/predictions.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/session.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "study/combinations.hpp"
#include "study/losses.hpp"
#include "study/named_class.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

// Limits of the rows whose outputs are examined: their number, and the bytes of features and outputs.
constexpr std::int64_t probe_rows = 1000, probe_bytes = std::int64_t{64} << 20;

// "12 of 48 iterations left", counted in the current stage.
std::string remaining_text(const std::string& directory) {
  const RunState run = read_run(directory);
  if (run.progress.journals.files.empty()) return "no iteration has finished yet";
  std::int64_t left = 0;
  for (const IndexRange& range : run.progress.left) left += range.count();
  const IndexRange stage = run.plan.iterations_of(run.plan.stage_count() - 1);
  return fmt::format("{} of {}{} left", left, counted(stage.count(), "iteration"), run.last_stage_text);
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
  if (has_plugin_models(study))
    refuse("models of a plugin are not saved, since their code is in the plugin",
           "Train a model that can be saved, for example model.kind = torchscript:FILE.pt");
  if (study.run.models == ModelsSaved::none)
    refuse("run.models = none", "Run the study with --run.models=best and another run.output");
  if (!run.has_results()) refuse(remaining_text(directory), "Continue with: " + resume_command_of(directory));
  refuse(fmt::format("'{}' is missing: no model of the best trial finished, or the file was removed",
                     best_model_list(directory)),
         "Select a model with --iteration");
  return {};
}

Task task_of(const EvaluationRequest& request, const OpenedModel& model, const EvaluatedRows& rows) {
  if (request.task) return *request.task;
  if (model.trained) return model.trained->description.task;
  const TargetsInfo* targets = rows.targets();
  if (targets != nullptr && targets->several_labels) return Task::multilabel;
  return targets != nullptr && (targets->integers || targets->texts) ? Task::classification : Task::regression;
}

LossFunction choose_loss(const EvaluationRequest& request, const OpenedModel& model, Task task) {
  const bool is_known = model.trained && model.trained->description.task == task;
  if (is_known && (!request.loss || *request.loss == model.trained->description.loss.kind))
    return model.trained->description.loss;
  if (request.loss) return *request.loss;
  return default_loss(task);
}

// "it predicts numbers"
const char* predicted_things(Task task) {
  return task == Task::regression ? "numbers" : task == Task::multilabel ? "labels" : "classes";
}

void check_targets(const EvaluationRequest& request, const TargetsInfo& targets, const Scoring& scoring) {
  require(!targets.texts || scoring.task == Task::classification,
          fmt::format("The {} contains text, but model '{}' predicts numbers. Use data that match the model.",
                      targets.text, request.model));
  const bool has_one = scoring.task == Task::classification || !scoring.quantiles.empty();
  const std::int64_t expected = has_one ? 1 : scoring.output_count;
  const bool may_be_classes = !request.task && scoring.task == Task::regression && targets.columns() == 1;
  const bool may_be_one_hot = scoring.task == Task::classification && targets.columns() == scoring.output_count;
  require(targets.columns() == expected || may_be_one_hot,
          fmt::format("The {} {} does not fit model '{}' ({}). Use data that match the model{}.", targets.text,
                      shape_text(targets.shape), request.model,
                      scoring.task == Task::classification ? "a classifier needs one label per row"
                      : has_one                            ? "it predicts quantiles of one target"
                                                           : fmt::format("it has {} outputs", expected),
                      may_be_classes ? ", or set --data.task=classification if the targets are class numbers" : ""));
}

// "model 'm.pt'"
std::string name_of(const OpenedModel& model) {
  return fmt::format("model '{}'", model.path);
}

// Throws UsageError if the options do not fit the format; nullopt: HDF5. Pure.
void require_readable(const EvaluationRequest& request, std::optional<ImportFormat> format) {
  if (format == ImportFormat::idx || format == ImportFormat::cifar10)
    throw UsageError(
        fmt::format("'{}' cannot be read directly. Convert it to HDF5 with sheaf import.", request.data.file));
  if (format != ImportFormat::csv && !request.csv.id.empty())
    throw UsageError(fmt::format("--id needs a CSV file ('{}' is not one). Leave it out.", request.data.file));
  if (format != ImportFormat::csv && request.csv.label)
    throw UsageError(fmt::format("--label needs a CSV file ('{}' is not one). Leave it out{}.", request.data.file,
                                 format == ImportFormat::npy ? "" : ", or select the targets with --data.targets"));
  if (format && !request.data.weights.empty())
    throw UsageError(fmt::format("--data.weights selects a data set of an HDF5 file ('{}' is another file). {}.",
                                 request.data.file,
                                 format == ImportFormat::csv ? "Select the column with --weights"
                                                             : "Convert the file to HDF5 with sheaf import"));
  if (format != ImportFormat::csv && !request.csv.weights.empty())
    throw UsageError(fmt::format("--weights needs a CSV file ('{}' is not one). Leave it out{}.", request.data.file,
                                 format ? "" : ", or select a data set with --data.weights"));
  const DataOptions defaults;
  const bool reads_arrays = !format || format == ImportFormat::npz;
  for (const auto& [key, is_set] : {std::pair("data.features", request.data.features != defaults.features),
                                    {"data.targets", request.data.targets != defaults.targets}})
    if (is_set && !reads_arrays)
      throw UsageError(fmt::format(
          "--{} selects a data set of an HDF5 or .npz file ('{}' is another file). {}.", key, request.data.file,
          format == ImportFormat::csv && key == std::string("data.targets") ? "Select the target column with --label"
                                                                            : "Leave it out"));
}

// How the user can select the targets of a file that seems to have none. Pure.
std::string targets_advice(std::optional<ImportFormat> format) {
  if (format == ImportFormat::npy) return "Store features and targets as X and y of a .npz file";
  return fmt::format("Select the targets with {}", format == ImportFormat::csv ? "--label" : "--data.targets");
}

// Options of the import of a CSV or NumPy file. `like` outlives them.
ImportOptions import_options(const EvaluationRequest& request, ImportFormat format, const OpenedModel& model,
                             const DataDescription& like) {
  ImportOptions options;
  options.format = format;
  options.csv = request.csv;
  options.csv.task = request.task || !model.trained ? request.task : model.trained->description.task;
  options.csv.task_option = "--data.task";
  options.csv.reads_targets = request.targets != TargetsMode::no;
  options.are_new_data = true;
  if (model.trained) {
    options.csv.like = &like;
    options.csv.like_name = name_of(model);
  } else {
    options.csv.numbers_only = true;
    if (!options.csv.reads_targets && !options.csv.label) options.csv.label = "none";
  }
  const DataOptions defaults;
  if (request.data.features != defaults.features) options.features = request.data.features;
  if (request.data.targets != defaults.targets) options.targets = request.data.targets;
  return options;
}

void warn_of_unwritten_rows(const EvaluationRequest& request) {
  DataOptions read = request.data;
  if (request.targets == TargetsMode::no) read.targets.clear();
  for (const auto& warning : unwritten_warnings(read)) warn_root(warning);
}

// Opens the rows of `evaluated`. Collective over world.
void open_rows(const EvaluationRequest& request, EvaluatedModel& evaluated, const Communicator& world,
               const Communicator& node) {
  const OpenedModel& model = evaluated.models.front();
  const auto format = is_data_file(request.data.file) ? std::nullopt : format_of(request.data.file);
  agree(world, [&] {
    require_readable(request, format);
    if (!format) {
      evaluated.rows = open_hdf5_rows(request.data, request.targets, model, name_of(model));
      if (world.is_root()) warn_of_unwritten_rows(request);
    } else if (model.trained)
      require_same_preprocessing({}, evaluated.description(), fmt::format("'{}'", request.data.file), name_of(model));
  });
  if (!format) return;
  DataDescription like;
  if (model.trained) like = with_columns(evaluated.description(), model.trained->description.shape.features);
  ImageFacts images{request.data.channels, request.data.image, {}, true};
  if (model.trained) {
    images.expected = model.trained->description.shape.image;
    images.is_needed = takes_images(model.trained->description.model.kind);
  }
  EmptyCellFills fills;
  if (model.trained) fills = {model.trained->scaling.fill, name_of(model)};
  ImportedRows imported = import_evaluated_rows(request.data.file, import_options(request, *format, model, like),
                                                images, std::move(fills), world, node);
  evaluated.rows = std::move(imported.rows);
  evaluated.ids = std::move(imported.ids);
}

// Throws if ranks see different files under the same names. Collective.
void require_same_files(const EvaluationRequest& request, const Communicator& world) {
  std::string state;
  agree(world, [&] { state = file_identity(request.data.file) + ", " + file_identities(model_files(request)); });
  require_same_as_root(world, state, [&](const std::string&) {
    throw RunError(
        fmt::format("'{}' or '{}' on host {} differs from that of rank 0 (in name, size or time). Put the files into a "
                    "directory that all nodes share.",
                    request.data.file, request.model, MpiSession::host_name()));
  });
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
}

// Chooses task, loss and outputs, and checks them against the request.
Scoring choose_scoring(const EvaluationRequest& request, const EvaluatedModel& evaluated) {
  const auto& models = evaluated.models;
  const EvaluatedRows& rows = *evaluated.rows;
  Scoring scoring;
  scoring.task = task_of(request, models.front(), rows);
  scoring.loss = choose_loss(request, models.front(), scoring.task);
  if (models.front().trained) scoring.quantiles = models.front().trained->description.quantiles;
  scoring.probabilities = models.size() > 1;
  scoring.output_count = find_output_count(models.front(), rows.row_shape());
  for (const auto& model : models)
    require(find_output_count(model, rows.row_shape()) == scoring.output_count,
            fmt::format("Models '{}' and '{}' have different numbers of outputs (they are not an ensemble). Evaluate "
                        "them one by one.",
                        models.front().path, model.path));
  const Loss& loss = loss_of(scoring.loss.kind);
  const auto& trained = models.front().trained;
  if (trained && scoring.task == Task::classification && loss_of(trained->description.loss.kind).needs_numbers())
    throw UsageError(
        fmt::format("--data.task = classification does not fit model '{}' (it predicts numbers). Leave it "
                    "out.",
                    request.model));
  if (scoring.task == Task::regression && loss.needs_classes())
    throw UsageError(
        fmt::format("--loss = {} requires classes (the task is regression). Set --data.task=classification "
                    "or --loss=mse.",
                    loss.name));
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
  if (rows.targets() != nullptr) check_targets(request, *rows.targets(), scoring);
  if (request.outputs != OutputKind::automatic && scoring.task == Task::regression)
    throw UsageError(
        "--outputs requires classes or labels (the task is regression). Leave it out, or set "
        "--data.task=classification.");
  if (request.outputs == OutputKind::probabilities && models.front().trained)
    throw UsageError(
        fmt::format("--outputs = probabilities does not fit model '{}' (models saved by sheaf give logits). "
                    "Leave it out.",
                    request.model));
  return scoring;
}

// Chooses the positive one of two classes, and the probability from which on it, or a label, is predicted. Local.
void choose_positive(const EvaluationRequest& request, EvaluatedModel& evaluated) {
  Scoring& scoring = evaluated.scoring;
  const char* const option = request.threshold ? "--threshold" : "--positive";
  if (!request.threshold && request.positive.empty()) return;
  if (!request.threshold && evaluated.rows->targets() == nullptr)
    throw UsageError(
        fmt::format("--positive has no effect ('{}' has no targets, and --threshold is not set). Set --threshold, or "
                    "leave it out.",
                    request.data.file));
  const bool has_two_classes = scoring.task == Task::classification && scoring.output_count == 2;
  const bool fits_labels = scoring.task == Task::multilabel && request.positive.empty();
  if (!has_two_classes && !fits_labels)
    throw UsageError(fmt::format("{} needs two classes{} (model '{}' {}). Leave it out.", option,
                                 request.threshold ? " or several labels per row" : "", request.model,
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

// Chooses the metrics: all without a parameter that apply, and the further ones of the request, in the order of the
// table. Local.
void choose_metrics(const EvaluationRequest& request, EvaluatedModel& evaluated) {
  const Scoring& scoring = evaluated.scoring;
  if (!request.metrics.empty() && evaluated.rows->targets() == nullptr)
    throw UsageError(fmt::format("--metrics needs targets ('{}' has none). Leave it out.", request.data.file));
  for (const Metric& metric : metric_table)
    if (metric.parameter == MetricParameter::none && applies_to(metric, scoring.task, scoring.loss.kind) &&
        quantile_problem("", metric.kind, scoring.quantiles).empty())
      evaluated.metrics.emplace_back(metric.kind);
  for (const MetricChoice& metric : request.metrics) {
    if (!applies_to(metric.metric(), scoring.task, scoring.loss.kind))
      throw UsageError(
          fmt::format("--metrics = {} does not apply to model '{}' ({}). Leave it out.", metric.name(), request.model,
                      !metric.metric().applies_to(scoring.task)
                          ? fmt::format("it predicts {}", predicted_things(scoring.task))
                          : fmt::format("with the loss {}, its outputs {}", loss_of(scoring.loss.kind).name,
                                        metric.metric().losses == MetricLosses::quantiles ? "have no quantiles"
                                                                                          : "are not probabilities")));
    if (const auto problem = quantile_problem("--metrics", metric, scoring.quantiles); !problem.empty())
      throw UsageError(problem);
    if (metric.metric().parameter != MetricParameter::none) evaluated.metrics.push_back(metric);
  }
  std::stable_sort(evaluated.metrics.begin(), evaluated.metrics.end(),
                   [](const MetricChoice& a, const MetricChoice& b) { return a.kind < b.kind; });
  const auto& names = evaluated.class_names();
  for (const MetricChoice& metric : evaluated.metrics) {
    const std::string problem =
        metric_problem("--metrics", metric, names, scoring.output_count, fmt::format("model '{}'", request.model));
    require(problem.empty(), problem);
    evaluated.functions.push_back(*metric_function(metric, names, scoring.output_count));
  }
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

const DataDescription& EvaluatedModel::description() const {
  static const DataDescription unknown;
  const auto& trained = models.front().trained;
  return trained ? trained->description.data : unknown;
}

std::vector<std::string> EvaluatedModel::class_names() const {
  const auto& names = names_of_classes(description(), scoring.task);
  const bool fit = static_cast<std::int64_t>(names.size()) == scoring.output_count;
  return predicts_probabilities() && fit ? names : std::vector<std::string>();
}

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

EvaluatedModel make_evaluated_model(const EvaluationRequest& request, LaneDevice device, const Communicator& world,
                                    const Communicator& node) {
  EvaluatedModel evaluated;
  agree(world, [&] {
    for (const auto& path : model_files(request)) evaluated.models.push_back(load_model(path, request.run, device));
  });
  open_rows(request, evaluated, world, node);
  require_same_files(request, world);
  agree(world, [&] {
    evaluated.scoring = choose_scoring(request, evaluated);
    choose_positive(request, evaluated);
    choose_metrics(request, evaluated);
    choose_target_offsets(evaluated);
    evaluated.scoring.target_offsets = repeated_offsets(evaluated.target_offsets, evaluated.scoring.output_count);
    evaluated.gives_probabilities = request.outputs == OutputKind::probabilities;
    if (evaluated.rows->targets() == nullptr && evaluated.has_weights())
      throw UsageError(fmt::format("weights have no effect ('{}' has no targets). Leave them out.", request.data.file));
    if (evaluated.rows->targets() == nullptr && request.predictions.empty())
      throw UsageError(fmt::format(
          "there is nothing to compute ('{}' has no targets to compare with, and --predictions is not set). {}, or "
          "write predictions with --predictions=OUT.csv.",
          request.data.file, targets_advice(format_of(request.data.file))));
  });
  return evaluated;
}

bool may_give_probabilities(const EvaluationRequest& request, const EvaluatedModel& evaluated) {
  return request.outputs == OutputKind::automatic && !evaluated.models.front().trained &&
         evaluated.predicts_probabilities() && loss_of(evaluated.scoring.loss.kind).needs_classes();
}

bool finds_probabilities(const EvaluatedModel& evaluated, const RunOptions& run, LaneDevice device) {
  const Scoring& scoring = evaluated.scoring;
  const EvaluatedRows& rows = *evaluated.rows;
  const auto row_bytes = (rows.feature_count() + scoring.output_count) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t most = std::clamp<std::int64_t>(probe_bytes / row_bytes, 1, probe_rows);
  const std::int64_t count = std::min(most, rows.count());
  const auto reader = rows.make_reader(evaluated.reader_options());
  reader->read({0, count});
  std::vector<float> outputs(static_cast<std::size_t>(count * scoring.output_count));
  const auto predictor = make_predictor(evaluated.models.front(), rows.row_shape(), scoring.output_count, run, device);
  // Rows that are not finite are reported by the evaluation.
  return predictor->predict(reader->features(), count, outputs.data()) &&
         are_probabilities(scoring.loss.kind, scoring.output_count, outputs.data(), count);
}

}  // namespace sheaf
