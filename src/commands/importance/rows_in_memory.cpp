// SPDX-License-Identifier: MIT
#include "commands/importance/rows_in_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "core/padding.hpp"
#include "core/parallel.hpp"
#include "core/text.hpp"
#include "data/row_sample.hpp"
#include "parallel/devices/memory.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

// A random number below the number of rows has 32 bits.
constexpr std::int64_t max_permuted_rows = std::int64_t{1} << 32;

// Where the arrays are in the memory of a node.
struct Layout {
  std::int64_t rows, features, target_columns;  // no target columns: labels
  bool weighted;

  std::size_t labels_begin() const { return round_up(bytes_of(features, sizeof(float)), 64); }
  std::size_t targets_begin() const {
    return round_up(labels_begin() + (target_columns == 0 ? bytes_of(1, sizeof(std::int64_t)) : 0), 64);
  }
  std::size_t weights_begin() const { return round_up(targets_begin() + bytes_of(target_columns, sizeof(float)), 64); }
  std::size_t bytes() const { return weights_begin() + (weighted ? bytes_of(1, sizeof(float)) : 0); }

 private:
  std::size_t bytes_of(std::int64_t columns, std::size_t size) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * size;
  }
};

Layout layout_of(std::int64_t rows, const EvaluatedModel& evaluated) {
  const bool has_labels = evaluated.scoring.task == Task::classification;
  return {rows, evaluated.rows->feature_count(), has_labels ? 0 : evaluated.target_columns(), evaluated.has_weights()};
}

// Whether the rows and the memory of the lanes fit into a node. Collective.
void require_enough_memory(const Layout& layout, double lane_bytes_per_row, const EvaluationRequest& request,
                           const PreparedEvaluation& prepared, const Communicator& world) {
  const std::int64_t half = world.minimum(usable_memory_bytes()) / 2;
  const auto limit = static_cast<double>(request.data.memory_mib > 0 ? request.data.memory_mib << 20 : half);
  const auto lanes = static_cast<double>(prepared.node.sum(prepared.placement.lane_count()));
  const double bytes = static_cast<double>(layout.bytes()) + lanes * lane_bytes_per_row * double(layout.rows);
  agree(world, [&] {
    require(bytes <= limit && layout.rows <= max_permuted_rows, [&] {
      return fmt::format(
          "{} of '{}' do not fit into memory ({} for the rows and {:.0f} lanes; the limit is {}). Use a part of them "
          "with "
          "--rows=N, or set --data.memory.",
          counted(layout.rows, "row"), request.data.file, human_bytes(bytes), lanes, human_bytes(limit));
    });
  });
}

// Writable views of the arrays.
struct Arrays {
  float* features;
  std::int64_t* labels;
  float* targets;
  float* weights;
  std::int64_t width, target_columns;

  Arrays(const Layout& layout, std::byte* memory)
      : features(reinterpret_cast<float*>(memory)),
        labels(layout.target_columns > 0 ? nullptr : reinterpret_cast<std::int64_t*>(memory + layout.labels_begin())),
        targets(layout.target_columns > 0 ? reinterpret_cast<float*>(memory + layout.targets_begin()) : nullptr),
        weights(layout.weighted ? reinterpret_cast<float*>(memory + layout.weights_begin()) : nullptr),
        width(layout.features),
        target_columns(layout.target_columns) {}

  // Copies `count` rows of the reader, from its row `first`, to the rows from `to`.
  void copy(const RowReader& reader, std::int64_t first, std::int64_t count, std::int64_t to) const {
    std::copy_n(reader.features() + first * width, count * width, features + to * width);
    if (labels != nullptr) std::copy_n(reader.labels() + first, count, labels + to);
    if (targets != nullptr)
      std::copy_n(reader.targets() + first * target_columns, count * target_columns, targets + to * target_columns);
    if (weights != nullptr) std::copy_n(reader.weights() + first, count, weights + to);
  }
};

// Reads batches of a file and copies those of their rows that are used.
class BatchCopier {
 public:
  // `sample`: the rows that are used, in ascending order; null: all. All references outlive the copier.
  BatchCopier(const EvaluatedModel& evaluated, const std::vector<std::int64_t>* sample, const Arrays& arrays)
      : evaluated_(evaluated),
        sample_(sample),
        arrays_(arrays),
        reader_(evaluated.rows->make_reader(evaluated.reader_options())) {}

  void copy(std::int64_t batch) {
    const IndexRange rows = evaluated_.rows->rows_of({batch, batch + 1});
    if (sample_ == nullptr) {
      read(rows);
      arrays_.copy(*reader_, 0, rows.count(), rows.begin);
      return;
    }
    const auto begin = std::lower_bound(sample_->begin(), sample_->end(), rows.begin);
    const auto end = std::lower_bound(begin, sample_->end(), rows.end);
    if (begin == end) return;
    read(rows);
    for (auto row = begin; row != end; ++row) arrays_.copy(*reader_, *row - rows.begin, 1, row - sample_->begin());
  }

  std::int64_t empty_cells() const { return reader_->empty_cells(); }
  std::int64_t unknown_cells() const { return reader_->unknown_cells(); }

 private:
  // Throws RunError for features that are not finite, unless they are empty cells for which each model has a value.
  void read(IndexRange rows) {
    reader_->read(rows);
    for (std::size_t model = 0; model < evaluated_.models.size(); ++model)
      if (!takes_empty_cells(evaluated_.models[model]))
        static_cast<void>(reader_->filled_features(evaluated_.fills[model]));
  }

  const EvaluatedModel& evaluated_;
  const std::vector<std::int64_t>* sample_;
  const Arrays& arrays_;
  std::unique_ptr<RowReader> reader_;
};

struct CellCounts {
  std::atomic<std::int64_t> empty{0}, unknown{0};
};

// Reads the part of this rank among those of its node. Local.
void read_part(const PreparedEvaluation& prepared, const std::vector<std::int64_t>* sample, const Arrays& arrays,
               CellCounts& cells) {
  const EvaluatedModel& evaluated = prepared.evaluated;
  const IndexRange batches = split_evenly(evaluated.rows->batch_count(), prepared.node.size(), prepared.node.rank());
  for_each_index(batches, prepared.placement.lane_count(), [&]() -> IndexWork {
    const auto copier = std::make_shared<BatchCopier>(evaluated, sample, arrays);
    return [&cells, copier](std::int64_t batch) {
      const std::int64_t empty = copier->empty_cells(), unknown = copier->unknown_cells();
      copier->copy(batch);
      cells.empty += copier->empty_cells() - empty;
      cells.unknown += copier->unknown_cells() - unknown;
    };
  });
  evaluated.rows->require_unchanged();
}

}  // namespace

RowsInMemory read_rows(const ImportanceRequest& request, double lane_bytes_per_row, const PreparedEvaluation& prepared,
                       const Communicator& world) {
  const EvaluatedModel& evaluated = prepared.evaluated;
  const std::int64_t stored = evaluated.rows->count(), count = std::min(stored, request.rows.value_or(stored));
  agree(world, [&] {
    require(count >= 2, [&] {
      return fmt::format("'{}' has {} (with one row there is nothing to permute). Use at least two rows.",
                         request.evaluation.data.file, counted(count, "row"));
    });
  });
  const Layout layout = layout_of(count, evaluated);
  require_enough_memory(layout, lane_bytes_per_row, request.evaluation, prepared, world);
  RowsInMemory rows;
  rows.count = count;
  std::optional<std::vector<std::int64_t>> sample;
  CellCounts cells;
  agree(world, [&] { rows.memory = std::make_unique<NodeMemory>(prepared.node, layout.bytes()); });
  const Arrays arrays(layout, rows.memory->array.data());
  agree(world, [&] {
    if (count < stored) sample = drawn_rows(stored, count, request.seed);
    read_part(prepared, sample ? &*sample : nullptr, arrays, cells);
  });
  rows.memory->array.synchronize();
  const bool on_first_node =
      prepared.node.minimum(std::int64_t{world.rank()}) == 0;  // each node has read the same rows
  log_changed_cells(on_first_node ? cells.empty.load() : 0, on_first_node ? cells.unknown.load() : 0, world);
  agree(world, [&] {
    if (arrays.weights != nullptr)
      require_any_weight(std::any_of(arrays.weights, arrays.weights + count, [](float weight) { return weight > 0; }),
                         evaluated);
  });
  rows.features = arrays.features;
  rows.labels = arrays.labels;
  rows.targets = arrays.targets;
  rows.weights = arrays.weights;
  return rows;
}

}  // namespace sheaf
