// SPDX-License-Identifier: MIT
#include "data/node_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "data/column_encoding.hpp"
#include "data/feature_reader.hpp"
#include "data/held_out_files.hpp"
#include "data/row_reading.hpp"
#include "data/stored_offsets.hpp"
#include "data/target_coding.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/shared_array.hpp"

namespace sheaf {
namespace {

// Returns the empty cells of each feature of a table of `width` features; of other data, an empty list.
std::vector<std::int64_t> read_features(const FeatureReader& reader, std::int64_t row_bytes, std::int64_t width,
                                        std::int64_t threads, const Communicator& world, const Communicator& node,
                                        std::byte* features) {
  std::mutex mutex;
  std::vector<std::int64_t> empty_cells(static_cast<std::size_t>(width));
  read_part(reader.block_count(), world, node, [&](IndexRange blocks) {
    for_each_index(blocks, threads, [&]() -> IndexWork {
      auto buffers = std::make_shared<FeatureReader::Buffers>();
      return [&, buffers](std::int64_t number) {
        leave_if_interrupted();
        const IndexRange rows = reader.block(number);
        std::byte* values = features + rows.begin * row_bytes;
        if (reader.read(rows, values, *buffers) == 0) return;
        const std::lock_guard lock(mutex);
        count_empty_cells(reinterpret_cast<const float*>(values), rows.count(), empty_cells);
      };
    });
  });
  return node.sum(std::move(empty_cells));
}

// Reads targets [rows, schema.target_columns]; a single stored column is copied to all of them.
void read_targets(const StoredRows& stored, const FileSchema& schema, const Communicator& world,
                  const Communicator& node, float* targets) {
  const std::vector<double>& offsets = schema.subtracted_targets;
  const std::int64_t width = stored.info().row_elements(), copies = schema.target_columns / width;
  const auto require_finite = [&](const float* values, std::int64_t row) {
    const float* found = std::find_if_not(values, values + width, [](float value) { return std::isfinite(value); });
    if (found != values + width)
      throw BadRow(row, fmt::format("The {} contains {} in row {}, column {} (values must be finite in 32-bit floating "
                                    "point). Remove or replace it.",
                                    stored.description(), *found, row, found - values));
  };
  if (offsets.empty())
    read_rows<float>(stored, world, node, [&](const float* values, std::int64_t row) {
      require_finite(values, row);
      for (std::int64_t copy = 0; copy < copies; ++copy)
        std::copy_n(values, width, targets + (row * copies + copy) * width);
    });
  else
    read_rows<double>(stored, world, node, [&](const double* values, std::int64_t row) {
      float* to = targets + row * copies * width;
      for (std::int64_t output = 0; output < width; ++output)
        to[output] = static_cast<float>(values[output] - offsets[static_cast<std::size_t>(output)]);
      require_finite(to, row);
      for (std::int64_t copy = 1; copy < copies; ++copy) std::copy_n(to, width, to + copy * width);
    });
}

// Returns why `label` is not valid, or nullopt.
std::optional<std::string> label_problem(double label, const FileSchema& schema, const DataOptions& options) {
  const std::int64_t limit = schema.classes > 0 ? schema.classes : schema.rows;
  if (!(std::floor(label) == label) || std::isinf(label)) return "class labels must be integers";
  if (label < 0) return "class labels count from 0";
  if (label < static_cast<double>(limit)) return std::nullopt;
  if (!schema.classes_of.empty()) return fmt::format("'{}' has the labels 0 to {}", schema.classes_of, limit - 1);
  if (options.classes > 0) return fmt::format("data.classes = {} allows labels 0 to {}", options.classes, limit - 1);
  return schema.classes > 0
             ? fmt::format("its attribute class_names has {} names, so labels are 0 to {}", limit, limit - 1)
             : fmt::format("class labels must be less than the number of rows, {}", limit);
}

// A label for messages. Integers beyond int64 are read as its largest value.
std::string label_text(double label) {
  return fmt::format("{}", label);
}

std::string label_text(std::int64_t label) {
  return fmt::format("{}{}", label, label == std::numeric_limits<std::int64_t>::max() ? " or more" : "");
}

// Reads the labels and returns the largest one of all ranks.
std::int64_t read_labels(const StoredRows& stored, const FileSchema& schema, const DataOptions& options,
                         const Communicator& world, const Communicator& node, std::int64_t* labels) {
  std::int64_t highest = 0;
  const auto visit = [&](const auto* label, std::int64_t row) {
    if (const auto problem = label_problem(static_cast<double>(*label), schema, options))
      throw BadRow(row, fmt::format("The {} contains {} in row {} ({}). Correct it, or set data.task = regression.",
                                    stored.description(), label_text(*label), row, *problem));
    labels[row] = static_cast<std::int64_t>(*label);
    highest = std::max(highest, labels[row]);
  };
  const auto visit_one_hot = [&](const float* values, std::int64_t row) {
    labels[row] = one_hot_class(values, schema.target_columns);
    if (labels[row] < 0)  // settle_target_coding() has read other values
      throw BadRow(row, fmt::format("The {} was changed while it was read. Start again when it is complete.",
                                    stored.description()));
  };
  if (schema.coding == TargetCoding::one_hot)
    read_rows<float>(stored, world, node, visit_one_hot);
  else if (stored.info().number_class == NumberClass::integer)
    read_rows<std::int64_t>(stored, world, node, visit);
  else
    read_rows<double>(stored, world, node, visit);  // as double, to find labels that are not integers
  return world.maximum(highest);
}

void read_weights(const StoredRows& stored, const Communicator& world, const Communicator& node, float* weights) {
  bool positive = false;
  read_rows<float>(stored, world, node, [&](const float* weight, std::int64_t row) {
    if (!std::isfinite(*weight) || *weight < 0)
      throw BadRow(row, bad_weight_text(stored.description(), double{*weight}, row));
    weights[row] = *weight;
    positive = positive || *weight > 0;
  });
  const bool any_positive = world.maximum(std::int64_t{positive}) > 0;
  agree(world, [&] {
    require(any_positive, fmt::format("The {} contains only zeros (no row would count). Store positive weights.",
                                      stored.description()));
  });
}

// Checks that all nodes found the same file: a path may refer to a local file of each node. Collective.
void require_same_file(const Communicator& world, const FileSchema& schema, const std::string& file) {
  bool same = true;
  for (const std::int64_t number : {schema.rows, schema.feature_count, schema.target_columns})
    same = world.minimum(number) == world.maximum(number) && same;
  agree(world, [&] {
    require(same, fmt::format("File '{}' is not the same on all nodes (its shapes differ). Use a file on a shared file "
                              "system.",
                              file));
  });
}

// Classes and labels are recognized by their values only in `schema`: those of another file may fit either.
void settle_coding_like(const FileSchema& schema, FileSchema& other, const DataOptions& options,
                        const Communicator& world) {
  DataOptions own = options_of(other, options);
  if (schema.coding == TargetCoding::multilabel) own.task = Task::multilabel;
  if (schema.coding == TargetCoding::one_hot) own.task = Task::classification;
  if (own.task == Task::multilabel || schema.coding == TargetCoding::one_hot) settle_target_coding(own, other, world);
}

}  // namespace

FileSchema agree_on_file(const DataOptions& options, const Communicator& world) {
  FileSchema schema;
  agree(world, [&] { schema = inspect_file(options); });
  require_same_file(world, schema, options.file);
  settle_target_coding(options, schema, world);
  for (FileSchema& other : schema.held_out) {
    require_same_file(world, other, other.path);
    settle_coding_like(schema, other, options, world);
  }
  agree(world, [&] { require_same_columns(schema); });
  settle_folds(options.file, schema.marks, world);
  return schema;
}

RowShape row_shape(const FileSchema& schema, Task task) {
  return {schema.feature_count, schema.has_byte_features(), task, schema.target_columns, schema.weights.has_value()};
}

namespace {

// One of the files of a data set: where its rows come from, and their place in memory.
struct FilePart {
  FilePart(const DataOptions& study_options, FileSchema file, std::int64_t first)
      : options(options_of(file, study_options)), schema(std::move(file)), first_row(first) {}

  void open(bool with_features) {
    if (with_features) features.emplace(options, schema);
    targets.emplace(options.file, options.targets, Values::numbers_or_texts);
    if (schema.weights) weights.emplace(options.file, options.weights);
  }
  void require_unchanged() const {
    if (features) features->require_unchanged();
    targets->require_unchanged();
    if (weights) weights->require_unchanged();
  }

  DataOptions options;
  FileSchema schema;
  std::int64_t first_row;
  std::optional<FeatureReader> features;
  std::optional<StoredRows> targets, weights;
};

// The data file, and behind its rows those of the other files (RowCounts).
std::deque<FilePart> parts_of(const DataOptions& options, const FileSchema& schema) {
  std::deque<FilePart> parts;
  parts.emplace_back(options, schema, 0);
  std::int64_t first = schema.rows;
  for (const FileSchema& other : schema.held_out) {
    parts.emplace_back(options, other, first);
    first += other.rows;
  }
  return parts;
}

void load_features(std::deque<FilePart>& parts, const RowShape& shape, std::int64_t threads, const Communicator& world,
                   const Communicator& node, std::byte* features, DataSet& data) {
  const FileSchema& schema = parts.front().schema;
  const bool has_table =
      std::any_of(parts.begin(), parts.end(), [](const FilePart& part) { return part.schema.may_have_empty_cells(); });
  std::optional<FeatureFills> fills;
  if (has_table) fills = feature_fills(schema.description.columns, schema.feature_count);
  for (const FilePart& part : parts) {
    if (!part.features) continue;
    const auto empty_cells = read_features(*part.features, feature_bytes(shape), fills ? schema.feature_count : 0,
                                           threads, world, node, features + part.first_row * feature_bytes(shape));
    if (!fills) continue;
    fills->empty_cells.resize(empty_cells.size());
    std::transform(empty_cells.begin(), empty_cells.end(), fills->empty_cells.begin(), fills->empty_cells.begin(),
                   std::plus<>());
  }
  if (fills) data.fills = std::make_shared<FeatureFills>(std::move(*fills));
}

// The classes of the held-out files are those of the data file.
void load_labels(std::deque<FilePart>& parts, const Communicator& world, const Communicator& node, std::int64_t* labels,
                 DataSet& data) {
  for (FilePart& part : parts) {
    FileSchema& schema = part.schema;
    const bool is_first = part.first_row == 0;
    if (!is_first) {
      schema.classes_of = parts.front().schema.path;
      schema.classes = data.output_count;
      if (schema.coding == TargetCoding::texts) schema.description.class_names = data.class_names;
    }
    std::int64_t* const own = labels + part.first_row;
    if (schema.coding == TargetCoding::texts) {
      const auto names = read_text_labels(*part.targets, schema, world, node, own);
      if (is_first) data.class_names = names, data.output_count = static_cast<std::int64_t>(names.size());
    } else {
      const std::int64_t highest = read_labels(*part.targets, schema, part.options, world, node, own);
      if (is_first) data.output_count = schema.classes > 0 ? schema.classes : highest + 1;
    }
  }
}

// With `threads` = 0, does not load the features.
DataSet load(const DataOptions& options, const FileSchema& schema, std::int64_t threads, const Communicator& world,
             const Communicator& node) {
  const bool with_features = threads > 0;
  const RowCounts rows = schema.counts();
  RowShape shape = row_shape(schema, options.task);
  if (!with_features) shape.feature_count = 0;
  const Storage storage = storage_of(rows.all(), shape);
  std::shared_ptr<NodeMemory> memory;
  agree(world, [&] { memory = std::make_shared<NodeMemory>(node, storage.bytes); });
  const StoredArrays arrays = arrays_in(memory->array.data(), storage, options.task);

  std::deque<FilePart> parts;
  agree(world, [&] {
    parts = parts_of(options, schema);
    for (FilePart& part : parts) part.open(with_features);
  });
  DataSet data;
  load_features(parts, shape, threads, world, node, arrays.features, data);
  if (options.task == Task::classification) {
    load_labels(parts, world, node, arrays.labels, data);
  } else {
    for (const FilePart& part : parts)
      read_targets(*part.targets, part.schema, world, node, arrays.targets + part.first_row * schema.target_columns);
    data.output_count = schema.target_columns;
    data.target_offsets = repeated_offsets(schema.description.target_offsets, schema.target_columns);
  }
  for (const FilePart& part : parts)  // missing ones are not used (require_weights())
    if (part.schema.weights) read_weights(*part.weights, world, node, arrays.weights + part.first_row);
  agree(world, [&] {
    require(options.task != Task::classification || data.output_count > 1,
            fmt::format(
                "the labels '{}' of '{}' have only one class (all are 0). Store labels of at least two classes{}.",
                options.targets, options.file, schema.description.class_names.empty() ? ", or set data.classes" : ""));
    for (const FilePart& part : parts) part.require_unchanged();
  });
  memory->array.synchronize();

  data.rows = rows.all();
  data.validation_file_rows = rows.validation_file;
  data.test_file_rows = rows.test_file;
  data.feature_count = schema.feature_count;
  if (schema.layout.image.channels == 0) data.kinds = feature_kinds(schema.description.columns, schema.feature_count);
  data.task = options.task;
  data.image = schema.layout.image;
  attach(arrays, shape, data);
  if (!with_features) data.features = nullptr, data.byte_features = nullptr;
  data.fingerprint = schema.shapes;
  data.owner = memory;
  data.marks = load_marks(options.file, schema.marks, world, node);
  return data;
}

}  // namespace

DataSet load_to_node_memory(const DataOptions& options, const FileSchema& schema, std::int64_t threads,
                            const Communicator& world, const Communicator& node) {
  return load(options, schema, threads, world, node);
}

DataSet load_targets(const DataOptions& options, const FileSchema& schema, const Communicator& world,
                     const Communicator& node) {
  return load(options, schema, 0, world, node);
}

}  // namespace sheaf
