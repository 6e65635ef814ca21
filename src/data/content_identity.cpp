// SPDX-License-Identifier: MIT
#include "data/content_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/storage.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

// The sum over the ranks, modulo 2^64. Collective.
std::uint64_t sum_of(std::uint64_t own, const Communicator& ranks) {
  const auto half = [&](std::uint64_t bits) {
    return static_cast<std::uint64_t>(ranks.sum(static_cast<std::int64_t>(bits & 0xffffffff)));
  };
  const std::uint64_t low = half(own), high = half(own >> 32);
  return (high << 32) + low;
}

std::string text_of(const std::string& shapes, std::uint64_t hash) {
  return fmt::format("{}, content {:016x}", shapes, hash);
}

}  // namespace

std::uint64_t hash_rows(const DataSet& data, IndexRange rows, const std::byte* features, std::size_t row_bytes) {
  const auto first = static_cast<std::size_t>(rows.begin), count = static_cast<std::size_t>(rows.count());
  const auto columns = static_cast<std::size_t>(data.output_count);
  std::uint64_t hash = hash_bytes(features, count * row_bytes, first);
  if (data.labels != nullptr) hash = hash_bytes(data.labels + first, count * sizeof(std::int64_t), hash);
  if (data.targets != nullptr) hash = hash_bytes(data.targets + first * columns, count * columns * sizeof(float), hash);
  if (data.weights != nullptr) hash = hash_bytes(data.weights + first, count * sizeof(float), hash);
  const auto marked =
      static_cast<std::size_t>(std::clamp<std::int64_t>(data.counts().own - rows.begin, 0, rows.count()));
  if (data.marks.numbers != nullptr && marked > 0)
    hash = hash_bytes(data.marks.numbers + first, marked * sizeof(std::int64_t), hash);
  return hash;
}

std::string content_in_memory(const DataSet& data, std::int64_t threads, const Communicator& world,
                              const Communicator& node) {
  constexpr std::int64_t rows_per_part = 4096;
  const auto* features = data.byte_features != nullptr ? reinterpret_cast<const std::byte*>(data.byte_features)
                                                       : reinterpret_cast<const std::byte*>(data.features);
  const auto row_bytes =
      static_cast<std::size_t>(data.feature_count) * (data.byte_features != nullptr ? 1 : sizeof(float));
  const std::int64_t parts = (data.rows + rows_per_part - 1) / rows_per_part;
  std::atomic<std::uint64_t> own{0};
  agree(world, [&] {
    for_each_index(split_evenly(parts, node.size(), node.rank()), threads, [&]() -> IndexWork {
      return [&](std::int64_t part) {
        leave_if_interrupted();
        const IndexRange rows{part * rows_per_part, std::min((part + 1) * rows_per_part, data.rows)};
        own += hash_rows(data, rows, features + static_cast<std::size_t>(rows.begin) * row_bytes, row_bytes);
      };
    });
  });
  const std::uint64_t hash = sum_of(own, node);
  const auto shown = static_cast<std::int64_t>(hash);
  const bool same = world.minimum(shown) == world.maximum(shown);
  agree(world, [&] {
    require(same,
            "the data file is not the same on all nodes (its content differs). Use a file on a shared file system.");
  });
  return text_of(data.fingerprint, hash);
}

std::string streamed_content(const DataOptions& options, const FileSchema& schema, const DataSet& targets,
                             std::int64_t threads, const Communicator& world) {
  const auto row_bytes = static_cast<std::size_t>(feature_bytes(row_shape(schema, options.task)));
  std::atomic<std::uint64_t> own{0};
  std::int64_t block_rows = 0;
  agree(world, [&] {
    const FeatureReader reader(options, schema);
    block_rows = reader.block(0).count();
    for_each_index(split_evenly(reader.block_count(), world.size(), world.rank()), threads, [&]() -> IndexWork {
      struct Memory {
        FeatureReader::Buffers buffers;
        std::vector<std::byte> values;
      };
      const auto memory = std::make_shared<Memory>();
      return [&, memory](std::int64_t number) {
        leave_if_interrupted();
        const IndexRange rows = reader.block(number);
        memory->values.resize(static_cast<std::size_t>(rows.count()) * row_bytes);
        reader.read_again(rows, memory->values.data(), memory->buffers);
        own += hash_rows(targets, rows, memory->values.data(), row_bytes);
      };
    });
    reader.require_unchanged();
  });
  return text_of(targets.fingerprint, sum_of(own, world)) + fmt::format(", in blocks of {}", block_rows);
}

}  // namespace sheaf
