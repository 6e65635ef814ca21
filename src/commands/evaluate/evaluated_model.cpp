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
#include "engines/model_opening.hpp"
#include "files/hdf5/data_set.hpp"
#include "models/predictions.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/session.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "study/losses.hpp"

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

// The models with which a run predicts. `kind`: that is requested.
RunModels models_of_run(const std::string& directory, std::optional<ModelsKind> kind) {
  const RunReader run(directory);
  if (auto models = kind ? run.models(*kind) : run.models()) return std::move(*models);
  const auto refuse = [&](const std::string& reason, const std::string& advice) {
    throw RunError(fmt::format("'{}' has no best model ({}). {}.", directory, reason, advice));
  };
  if (!holds_run(directory)) refuse("it is not a run directory", "Pass a run directory or a model file");
  constexpr bool forced = true;  // runs of other versions are accepted
  const SettledStudy study = run.study(forced);
  if (study.models() == ModelsSaved::none)
    refuse("run.models = none", "Run the study with --run.models=best and another run.output");
  if (!run.has_results()) refuse(remaining_text(directory), "Continue with: " + resume_command_of(directory));
  if (kind && run.models())
    throw UsageError(fmt::format("--model = {} does not fit '{}' (the run has no {}). Leave it out.",
                                 row_of(*kind).name, directory, row_of(*kind).text));
  refuse(fmt::format("'{}' is missing: no model of the best trial finished, or the file was removed",
                     best_model_list(directory)),
         "Select a model with --iteration");
  return {};
}

// The model file of an iteration, or where it would be.
std::string file_of_iteration(const std::string& directory, std::int64_t number) {
  std::error_code ignored;
  const std::string iteration = fmt::format("{}/iteration-{}", models_directory(directory), number);
  for (const ModelKind kind : {ModelKind::mlp, ModelKind::boosted_trees})
    if (std::string file = iteration + model_file_ending(kind); fs::exists(file, ignored)) return file;
  const Plan plan = read_run(directory).plan;
  return number < plan.iteration_count() ? models_directory(directory) + "/" + model_name(plan, number)
                                         : iteration + model_file_ending(ModelKind::mlp);
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
  if (evaluated.models.size() > 1)  // each has its own values for empty cells, which stay empty here
    for (DataColumn& column : like.columns) column.fill.reset();
  ImageFacts images{request.data.channels, request.data.image, {}, true};
  if (model.trained) {
    images.expected = model.trained->description.shape.image;
    images.is_needed = takes_images(model.trained->description.model.kind);
  }
  ImportedRows imported =
      import_evaluated_rows(request.data.file, import_options(request, *format, model, like), images, world, node);
  evaluated.rows = std::move(imported.rows);
  evaluated.ids = std::move(imported.ids);
}

// Throws if ranks see different files under the same names. Collective.
void require_same_files(const EvaluationRequest& request, const Communicator& world) {
  std::string state;
  agree(world,
        [&] { state = file_identity(request.data.file) + ", " + file_identities(select_models(request).files); });
  require_same_as_root(world, state, [&](const std::string&) {
    throw RunError(
        fmt::format("'{}' or '{}' on host {} differs from that of rank 0 (in name, size or time). Put the files into a "
                    "directory that all nodes share.",
                    request.data.file, request.model, MpiSession::host_name()));
  });
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

std::vector<DataColumn> EvaluatedModel::columns() const {
  const std::int64_t features = rows->feature_count();
  for (const auto& known : {description().columns, rows->columns()})
    if (static_cast<std::int64_t>(known.size()) == features) return known;
  return with_columns({}, features).columns;
}

void require_finite_outputs(bool all_finite, const EvaluatedModel& evaluated) {
  require(all_finite || !evaluated.models.front().trained, [&] {
    return fmt::format(
        "model '{}' has no finite output for some rows (their features are too far from those of the "
        "training data). Correct these rows.",
        evaluated.models.front().path);
  });
}

void require_any_weight(bool has_any, const EvaluatedModel& evaluated) {
  require(has_any, [&] {
    return fmt::format("All weights in '{}' are 0, so no row would count. Use positive weights.", *evaluated.weights);
  });
}

const float* targets_of_outputs(const EvaluatedModel& evaluated, const float* targets, std::int64_t rows,
                                std::vector<float>& repeated) {
  const std::int64_t outputs = evaluated.scoring.output_count;
  if (evaluated.target_columns() == outputs) return targets;
  repeated.clear();
  for (std::int64_t row = 0; row < rows; ++row)
    repeated.insert(repeated.end(), static_cast<std::size_t>(outputs), targets[row]);
  return repeated.data();
}

SelectedModels select_models(const EvaluationRequest& request) {
  std::error_code ignored;
  const bool is_run = fs::is_directory(request.model, ignored);
  if (!is_run && request.iteration)
    throw UsageError(fmt::format("--iteration = {} requires a run directory ('{}' is a file). Leave it out.",
                                 *request.iteration, request.model));
  if (request.kind && (!is_run || request.iteration))
    throw UsageError(fmt::format("--model = {} requires a run directory{}. Leave it out.", row_of(*request.kind).name,
                                 is_run ? " without --iteration" : fmt::format(" ('{}' is a file)", request.model)));
  require(is_run || fs::exists(request.model, ignored),
          fmt::format("Model '{}' does not exist. Pass a model file or a run directory.", request.model));
  if (!is_run) return {{request.model}, std::nullopt};
  if (!request.iteration) {
    RunModels models = models_of_run(request.model, request.kind);
    return {std::move(models.files), models.kind, std::move(models.weights)};
  }
  const std::string file = file_of_iteration(request.model, *request.iteration);
  require(fs::exists(file, ignored),
          fmt::format("Iteration {} has no saved model ('{}' does not exist). Run the study with --run.models=all, or "
                      "select an iteration that has a file in the models directory.",
                      *request.iteration, file));
  return {{file}, std::nullopt};
}

namespace {

EmptyCellFills fills_of(const SavedModel& trained, const std::string& name) {
  const auto& [description, network, scaling] = trained;
  return {scaling.fill, name, features_that_may_be_empty(network_layout(description.model, description.shape))};
}

}  // namespace

EvaluatedModel open_evaluated_model(const EvaluationRequest& request, LaneDevice device, const Communicator& world,
                                    const Communicator& node) {
  EvaluatedModel evaluated;
  agree(world, [&] {
    const SelectedModels selected = select_models(request);
    evaluated.kind = selected.kind;
    evaluated.model_weights = selected.weights;
    for (const auto& path : selected.files) {
      const OpenedModel& model = evaluated.models.emplace_back(load_model(path, request.run, device));
      evaluated.fills.push_back(model.trained ? fills_of(*model.trained, name_of(model)) : EmptyCellFills{});
    }
  });
  open_rows(request, evaluated, world, node);
  for (const std::string& name : {request.data.weights, request.csv.weights})
    if (!name.empty()) evaluated.weights = name;
  require_same_files(request, world);
  return evaluated;
}

bool may_give_probabilities(const EvaluationRequest& request, const EvaluatedModel& evaluated) {
  return request.outputs == automatic && !evaluated.models.front().trained && evaluated.predicts_probabilities() &&
         loss_of(evaluated.scoring.loss.kind).needs_classes();
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
