// SPDX-License-Identifier: MIT
#include "commands/train/prepare/study_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/train/prepare/row_weights_check.hpp"
#include "commands/train/prepare/study_warnings.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/repeated_rows.hpp"
#include "data/storage.hpp"
#include "data/stored_offsets.hpp"
#include "data/stream/stream_scaling.hpp"
#include "data/synthetic.hpp"
#include "engines/network_check.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/losses.hpp"
#include "study/settings_table.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Throws UsageError for settings that streamed data do not support.
void require_streamable(const Study& study, const Plan& plan) {
  const char* advice = "or data.mode = memory";
  if (is_searched(study, "train.shuffle"))
    throw UsageError(
        fmt::format("train.shuffle cannot be searched on streamed data (all models are trained in one pass over the "
                    "file). Set it to yes or no, {}.",
                    advice));
  const auto decides_batches = [](const std::string& key) { return key == "train.batch_size"; };
  plan.for_each_distinct(decides_batches, [&](const Trial& trial, double) {
    if (trial.train.batch_size == 0)
      throw UsageError(
          fmt::format("train.batch_size = full requires all rows in memory ('{}' is streamed). Set a number "
                      "of rows, {}.",
                      study.data.file, advice));
  });
}

// The file of a row in memory, and its number there.
std::pair<std::string, std::int64_t> place_of(const DataOptions& options, const DataSet& data, std::int64_t row) {
  const RowCounts counts = data.counts();
  if (row >= counts.test_rows().begin && counts.test_file > 0)
    return {options.test_file, row - counts.test_rows().begin};
  if (row >= counts.validation_rows().begin && counts.validation_file > 0)
    return {options.validation_file, row - counts.validation_rows().begin};
  return {options.file, row};
}

// Throws RunError if the loss of a trial needs targets that are not negative, and one is.
void require_counts(const Plan& plan, const DataOptions& options, const DataSet& data) {
  if (data.task != Task::regression) return;
  const Loss* needing = nullptr;
  plan.for_each_distinct([](const std::string& key) { return key == "train.loss"; },
                         [&](const Trial& trial, double) {
                           const Loss& loss = loss_of(trial.train.loss);
                           if (loss.needs_counts()) needing = &loss;
                         });
  if (needing == nullptr) return;
  require(data.target_offsets.empty(), [&] {
    return fmt::format(
        "train.loss = {} does not fit the targets (float32 does not tell them apart without an offset). Set "
        "train.loss = mse.",
        needing->name);
  });
  const float* const end = data.targets + data.rows * data.output_count;
  const float* const negative = std::find_if(data.targets, end, [](float target) { return target < 0; });
  require(negative == end, [&] {
    const auto [file, row] = place_of(options, data, (negative - data.targets) / data.output_count);
    return fmt::format(
        "train.loss = {} needs targets >= 0 (row {} of '{}' has {}). Correct it, or set train.loss = mse.",
        needing->name, row, file, *negative);
  });
}

// Separates the data from their memory.
void set_data(StudyData& prepared, DataSet data) {
  prepared.memory = {std::move(data.owner), std::move(data.marks.owner)};
  prepared.data = std::move(data);
}

void open_stream(const SettledStudy& study, const Plan& plan, const FileSchema& schema, const Placement& placement,
                 const Communicator& world, const Communicator& node, StudyData& prepared) {
  StreamOptions options;
  std::unique_ptr<const FeatureReader> reader;
  agree(world, [&] {
    require_streamable(study, plan);
    reader = std::make_unique<const FeatureReader>(study->data, schema);
    options.plan = plan_stream(study->data, schema.rows, reader->block(0).count(), row_bytes(schema, study->data.task));
  });
  options.seed = study->study.seed;
  options.shuffled = study->train.shuffle;
  options.validation = validation_epochs(study);
  options.lanes = placement.lane_count();
  options.threads = placement.thread_count();
  set_data(prepared, load_targets(study->data, schema, world, node));
  agree(world, [&] {
    require_counts(plan, study->data, *prepared.data);
    prepared.splits = std::make_unique<Splits>(study, *prepared.data, node);
  });
  StreamStatistics statistics = streamed_statistics(study, schema, *prepared.splits, options.threads, world);
  prepared.data->fills = std::move(statistics.fills);
  prepared.splits->scale_by(std::move(statistics.scalings));
  // Inside agree(), since a single node may not have enough memory for its windows.
  agree(world, [&] {
    prepared.stream =
        std::make_unique<Stream>(std::move(reader), row_shape(schema, study->data.task), *prepared.data, options, node);
  });
  log_root(fmt::format("'{}' is streamed: {}", study->data.file, options.plan.text()));
}

// The warnings of rows that were never written, in all files.
std::vector<std::string> warnings_of_files(const DataOptions& options, const FileSchema& file) {
  std::vector<std::string> warnings = unwritten_warnings(options);
  for (const FileSchema& other : file.held_out)
    for (auto& warning : unwritten_warnings(options_of(other, options))) warnings.push_back(std::move(warning));
  return warnings;
}

// Throws AgreedError for test rows that are also validation rows; warns of training rows that are held out, too.
void check_repeated_rows(const DataOptions& options, const DataSet& data, std::int64_t threads,
                         const Communicator& world, const Communicator& node) {
  const RepeatedRows repeated = find_repeated_rows(data, threads, world, node);
  agree(world, [&] {
    require(repeated.test_in_validation == 0, [&] {
      return fmt::format(
          "{} of '{}' {} also in '{}' (test rows must not be validation rows, by which the best model is chosen). "
          "Remove them from one of the files.",
          counted(repeated.test_in_validation, "row"), options.test_file,
          repeated.test_in_validation == 1 ? "is" : "are", options.validation_file);
    });
  });
  for (const auto& [count, path] : {std::pair(repeated.training_in_validation, options.validation_file),
                                    {repeated.training_in_test, options.test_file}})
    if (count > 0)
      warn_root(
          fmt::format("{} of '{}' {} also in '{}', so its losses and scores are too good. Remove them from one of "
                      "the files.",
                      counted(count, "row"), options.file, count == 1 ? "is" : "are", path));
}

// Networks and trees treat empty cells in different ways.
std::string note_on_empty_cells(const Plan& plan, const FeatureFills& fills) {
  bool any_networks = false, any_trees = false, any_encodings = false;
  plan.for_each_network([&](const Trial& trial) {
    const bool is_net = is_network(trial.model.kind);
    any_networks = any_networks || is_net;
    any_trees = any_trees || !is_net;
    any_encodings = any_encodings || encodes_features(trial.model);
  });
  const std::string text = empty_cells_text(fills, any_encodings  ? EmptyCellsFor::encodings
                                                   : any_networks ? EmptyCellsFor::other_networks
                                                                  : EmptyCellsFor::trees);
  return any_trees && any_networks ? text + " for networks; trees take them as missing values" : text;
}

}  // namespace

std::int64_t row_bytes(const FileSchema& file, Task task) {
  return static_cast<std::int64_t>(storage_of(1000, row_shape(file, task)).bytes / 1000);
}

RowCounts expected_rows(const DataOptions& options, const std::optional<FileSchema>& file) {
  return file ? file->counts() : RowCounts{options.rows};
}

DataShape expected_shape(const DataOptions& options, const std::optional<FileSchema>& file) {
  if (!file) return synthetic_shape(options);
  constexpr std::int64_t some_classes = 10;
  const std::int64_t classes = file->classes > 0 ? file->classes : some_classes;
  const bool has_image = file->layout.image.channels > 0;
  return {file->counts().all(), file->feature_count,
          options.task == Task::classification ? classes : file->target_columns, file->layout.image,
          has_image ? std::vector<FeatureKind>() : feature_kinds(file->description.columns, file->feature_count)};
}

std::optional<FileSchema> agree_on_data(const Study& study, const Communicator& world) {
  if (study.data.source != DataSource::file) return std::nullopt;
  FileSchema file = agree_on_file(study.data, world);
  if (study.train.loss == LossKind::quantile) {
    agree(world, [&] {
      require(file.target_columns == 1, [&] {
        return fmt::format(
            "train.loss = quantile needs one target column ('{}' of '{}' has {}). Store one, or set train.loss = mse.",
            study.data.targets, study.data.file, file.target_columns);
      });
    });
    file.target_columns = static_cast<std::int64_t>(study.train.quantiles.size());
    for (FileSchema& other : file.held_out) other.target_columns = file.target_columns;
  }
  return file;
}

StudyData prepare_study_data(const SettledStudy& study, const Plan& plan, std::optional<FileSchema> file,
                             const Placement& placement, const Communicator& world, const Communicator& node) {
  StudyData prepared;
  if (file) file = with_offsets(study->data, std::move(*file), world);
  prepared.file = file;
  if (file) prepared.description = file->description;
  if (file && study.mode() == DataMode::streamed)
    open_stream(study, plan, *file, placement, world, node, prepared);
  else if (file)
    set_data(prepared, load_to_node_memory(study->data, *file, placement.thread_count(), world, node));
  agree(world, [&] {
    if (study->data.source == DataSource::synthetic && study->data.draw == Draw::study)
      set_data(prepared, draw_synthetic(study->data, study->study.seed));
    if (prepared.data && !prepared.stream) require_counts(plan, study->data, *prepared.data);
    prepared.shape = shape_of(prepared.data ? &*prepared.data : nullptr, study->data);
    prepared.networks = check_networks(plan, prepared.shape);
  });
  if (prepared.data && !prepared.data->class_names.empty())
    prepared.description.class_names = prepared.data->class_names;
  const auto& class_names = names_of_classes(prepared.description, study->data.task);
  if (prepared.data) prepared.data->class_names = class_names;
  agree(world, [&] {
    const auto problem = metric_problem(study, plan, class_names, prepared.shape.outputs);
    require(problem.empty(), problem);
  });
  std::vector<std::string> unwritten;
  agree(world, [&] {
    if (file && world.is_root()) unwritten = warnings_of_files(study->data, *file);
  });
  for (const auto& warning : unwritten) warn_root(warning);
  if (prepared.data && prepared.data->has_empty_cells()) log_root(note_on_empty_cells(plan, *prepared.data->fills));
  for (const auto& warning : probability_warnings(prepared.networks, plan)) warn_root(warning);
  if (file && !file->held_out.empty())
    check_repeated_rows(study->data, *prepared.data, placement.thread_count(), world, node);
  // A separate agree(): a rank that fails above would miss the collective calls of its node.
  agree(world, [&] {
    if (prepared.data && !prepared.splits) prepared.splits = std::make_unique<Splits>(study, *prepared.data, node);
  });
  agree(world, [&] {
    if (!world.is_root() || !prepared.data) return;
    const std::string problem = row_weights_problem(study, plan, *prepared.data, *prepared.splits);
    require(problem.empty(), problem);
  });
  if (world.is_root())
    for (const auto& warning :
         study_warnings(study, plan, prepared.data ? &*prepared.data : nullptr, class_names, prepared.splits.get()))
      warn_root(warning);
  return prepared;
}

}  // namespace sheaf
