// SPDX-License-Identifier: MIT
#include "dataset/resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "dataset/chunk_plan.hpp"
#include "dataset/file_schema.hpp"
#include "dataset/storage.hpp"
#include "hdf5/file.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_array.hpp"

namespace sheaf {
namespace {

// Memory that one call of HDF5 fills: large enough for a parallel file system, and a bad value ends the reading soon.
constexpr std::int64_t read_bytes = std::int64_t{64} << 20;

// The node's memory with a communicator of its own, since the caller's may go first.
struct NodeMemory {
  NodeMemory(const Communicator& ranks, std::size_t bytes) : node(ranks.split(0)), array(node, bytes) {}
  Communicator node;
  SharedArray array;
};

// A value that must not be, and where.
struct BadValue {
  std::int64_t row = 0;
  std::string message;
};

// The file as the ranks of a node have it open together.
struct OpenFile {
  OpenFile(const DataOptions& options, const Communicator& node)
      : file(options.file, node), features(file.data_set(options.features)), targets(file.data_set(options.targets)) {
    if (!options.weights.empty()) weights.emplace(file.data_set(options.weights));
  }
  InputFile file;
  DataSetReader features;
  DataSetReader targets;
  std::optional<DataSetReader> weights;
};

// Reads this rank's share of the rows, each block to where `room(block)` points (a T*), and then looks at every row:
// `look(its values, row)` returns what is wrong. Stops at the first bad row.
template <class T, class Room, class Look>
std::optional<BadValue> read_share(const DataSetReader& reader, const Communicator& node, Room room, Look look) {
  const DataSetInfo& info = reader.info();
  const std::int64_t width = info.row_elements();
  const ReadShape shape{info.rows(), info.chunk_rows, width * static_cast<std::int64_t>(sizeof(T))};
  for (const IndexRange block : plan_reads(shape, node.size(), node.rank(), read_bytes)) {
    T* values = room(block);
    // Independently: a chunk that one rank cannot read must not keep the others waiting.
    reader.read_rows(block, values, Transfer::independent);
    for (std::int64_t row = block.begin; row < block.end; ++row, values += width)
      if (auto problem = look(values, row)) return BadValue{row, *std::move(problem)};
  }
  return std::nullopt;
}

// Throws the bad value of the lowest row: the same one however many ranks share the rows. Collective.
void refuse_first(const Communicator& world, const std::optional<BadValue>& bad) {
  const std::int64_t row = world.minimum(bad ? bad->row : std::numeric_limits<std::int64_t>::max());
  agree(world, [&] {
    if (bad && bad->row == row) throw RunError(bad->message);
  });
}

void read_numbers(const DataSetReader& reader, const Communicator& world, const Communicator& node, float* values) {
  std::optional<BadValue> bad;
  agree(world, [&] {
    const std::int64_t width = reader.info().row_elements();
    const auto in_place = [&](IndexRange block) { return values + block.begin * width; };
    bad = read_share<float>(reader, node, in_place, [&](const float* begin, std::int64_t row) {
      const float* end = begin + width;
      const float* found = std::find_if_not(begin, end, [](float value) { return std::isfinite(value); });
      std::optional<std::string> problem;
      if (found != end)
        problem = fmt::format(
            "The {} holds {} in row {}, column {} (values must be finite in 32-bit floating point). "
            "Remove or replace it.",
            reader.description(), *found, row, found - begin);
      return problem;
    });
  });
  refuse_first(world, bad);
}

// What is wrong with `label`, if anything. `limit` is the number of classes, or of rows when that is not given.
std::optional<std::string> label_problem(double label, const DataOptions& options, std::int64_t limit) {
  if (!(std::floor(label) == label) || std::isinf(label)) return "class labels are whole numbers";
  if (label < 0) return "class labels count from 0";
  if (label < static_cast<double>(limit)) return std::nullopt;
  return options.classes > 0 ? fmt::format("data.classes = {} allows 0 to {}", options.classes, limit - 1)
                             : fmt::format("there cannot be more classes than the {} rows", limit);
}

// Returns the highest label of all rows.
std::int64_t read_labels(const DataSetReader& reader, const DataOptions& options, const Communicator& world,
                         const Communicator& node, std::int64_t* labels) {
  const std::int64_t limit = options.classes > 0 ? options.classes : reader.info().rows();
  std::int64_t highest = 0;
  const auto look = [&](const auto* label, std::int64_t row) -> std::optional<std::string> {
    if (const auto problem = label_problem(static_cast<double>(*label), options, limit))
      return fmt::format("The {} holds {} in row {} ({}). Correct it.", reader.description(), *label, row, *problem);
    labels[row] = static_cast<std::int64_t>(*label);
    highest = std::max(highest, labels[row]);
    return std::nullopt;
  };
  std::optional<BadValue> bad;
  agree(world, [&] {
    if (reader.info().number_class == NumberClass::integer) {
      bad = read_share<std::int64_t>(
          reader, node, [&](IndexRange block) { return labels + block.begin; }, look);
    } else {
      std::vector<double> numbers;  // seen before they are cut to integers
      const auto scratch = [&](IndexRange block) {
        numbers.resize(static_cast<std::size_t>(block.count()));
        return numbers.data();
      };
      bad = read_share<double>(reader, node, scratch, look);
    }
  });
  refuse_first(world, bad);
  return world.maximum(highest);
}

void read_weights(const DataSetReader& reader, const Communicator& world, const Communicator& node, float* weights) {
  bool positive = false;
  const auto in_place = [&](IndexRange block) { return weights + block.begin; };
  const auto look = [&](const float* weight, std::int64_t row) -> std::optional<std::string> {
    if (!std::isfinite(*weight) || *weight < 0)
      return fmt::format("The {} holds {} in row {} (sample weights are finite and not negative). Correct it.",
                         reader.description(), *weight, row);
    positive = positive || *weight > 0;
    return std::nullopt;
  };
  std::optional<BadValue> bad;
  agree(world, [&] { bad = read_share<float>(reader, node, in_place, look); });
  refuse_first(world, bad);
  const bool any_positive = world.maximum(std::int64_t{positive}) > 0;
  agree(world, [&] {
    require(any_positive, fmt::format("The {} holds zeros alone (no row would count). Give rows positive weights.",
                                      reader.description()));
  });
}

// Nodes may see different files under one name. Collective.
void require_same_file(const Communicator& world, const FileSchema& schema, const std::string& file) {
  bool same = true;
  for (const std::int64_t number : {schema.rows, schema.feature_count, schema.target_columns})
    same = world.minimum(number) == world.maximum(number) && same;
  agree(world, [&] {
    require(same,
            fmt::format("File '{}' is not the same on all nodes (its shapes differ). Put one file where all nodes "
                        "see it.",
                        file));
  });
}

}  // namespace

DataSet load_resident(const DataOptions& options, const Communicator& world, const Communicator& node) {
  FileSchema schema;
  agree(world, [&] { schema = inspect_file(options); });
  require_same_file(world, schema, options.file);

  const Storage storage =
      storage_of(schema.rows, schema.feature_count, options.task, schema.target_columns, schema.weights.has_value());
  std::shared_ptr<NodeMemory> memory;
  agree(world, [&] { memory = std::make_shared<NodeMemory>(node, storage.bytes); });
  const StoredArrays arrays = arrays_in(memory->array.data(), storage, options.task);

  std::optional<OpenFile> file;
  agree(world, [&] { file.emplace(options, node); });
  read_numbers(file->features, world, node, arrays.features);
  std::int64_t outputs = schema.target_columns;
  if (options.task == Task::classification) {
    const std::int64_t highest = read_labels(file->targets, options, world, node, arrays.labels);
    outputs = options.classes > 0 ? options.classes : highest + 1;
  } else {
    read_numbers(file->targets, world, node, arrays.targets);
  }
  if (file->weights) read_weights(*file->weights, world, node, arrays.weights);
  memory->array.synchronise();

  DataSet data;
  data.rows = schema.rows;
  data.feature_count = schema.feature_count;
  data.output_count = outputs;
  data.task = options.task;
  data.image = schema.image;
  data.features = arrays.features;
  data.labels = arrays.labels;
  data.targets = arrays.targets;
  data.weights = arrays.weights;
  data.fingerprint = world.broadcast(schema.fingerprint, 0);
  data.owner = memory;
  return data;
}

}  // namespace sheaf
