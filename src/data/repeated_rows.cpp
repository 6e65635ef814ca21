// SPDX-License-Identifier: MIT
#include "data/repeated_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/fingerprint.hpp"
#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/shared_array.hpp"

namespace sheaf {
namespace {

std::uint64_t hash_row(const DataSet& data, std::int64_t row) {
  const auto width = static_cast<std::size_t>(data.feature_count);
  std::uint64_t hash = data.byte_features != nullptr
                           ? hash_bytes(data.byte_features + row * data.feature_count, width, 0)
                           : hash_bytes(data.features + row * data.feature_count, width * sizeof(float), 0);
  if (data.labels != nullptr) return hash_bytes(data.labels + row, sizeof(std::int64_t), hash);
  return hash_bytes(data.targets + row * data.output_count, static_cast<std::size_t>(data.output_count) * sizeof(float),
                    hash);
}

// The rows of this rank's part of `rows` whose hashes are in a sorted range of hashes.
std::int64_t count_found(const std::uint64_t* hashes, IndexRange rows, IndexRange sorted, const Communicator& node) {
  const IndexRange own = split_evenly(rows.count(), node.size(), node.rank());
  return std::count_if(hashes + rows.begin + own.begin, hashes + rows.begin + own.end, [&](std::uint64_t hash) {
    return std::binary_search(hashes + sorted.begin, hashes + sorted.end, hash);
  });
}

}  // namespace

RepeatedRows find_repeated_rows(const DataSet& data, std::int64_t threads, const Communicator& world,
                                const Communicator& node) {
  constexpr std::int64_t rows_per_part = 4096;
  const RowCounts rows = data.counts();
  std::unique_ptr<NodeMemory> memory;
  agree(world, [&] {
    memory = std::make_unique<NodeMemory>(node, static_cast<std::size_t>(data.rows) * sizeof(std::uint64_t));
  });
  auto* const hashes = reinterpret_cast<std::uint64_t*>(memory->array.data());
  const std::int64_t parts = (data.rows + rows_per_part - 1) / rows_per_part;
  agree(world, [&] {
    for_each_index(split_evenly(parts, node.size(), node.rank()), threads, [&]() -> IndexWork {
      return [&](std::int64_t part) {
        leave_if_interrupted();
        const std::int64_t end = std::min((part + 1) * rows_per_part, data.rows);
        for (std::int64_t row = part * rows_per_part; row < end; ++row) hashes[row] = hash_row(data, row);
      };
    });
  });
  memory->array.synchronize();
  if (node.is_root())
    for (const IndexRange range : {rows.validation_rows(), rows.test_rows()})
      std::sort(hashes + range.begin, hashes + range.end);
  memory->array.synchronize();
  const auto counts =
      node.sum(std::vector<std::int64_t>{count_found(hashes, rows.own_rows(), rows.validation_rows(), node),
                                         count_found(hashes, rows.own_rows(), rows.test_rows(), node),
                                         count_found(hashes, rows.test_rows(), rows.validation_rows(), node)});
  return {counts[0], counts[1], counts[2]};
}

}  // namespace sheaf
