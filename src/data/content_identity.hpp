// Identifies the rows of a data set by their content: a run continues only with the values with which it began, however
// the file was copied or touched in the meantime.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/index_range.hpp"
#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Returns a hash of rows: their numbers, features ([rows, row_bytes]), and labels or targets, weights and marks, which
/// are those of `data`. Pure.
std::uint64_t hash_rows(const DataSet& data, IndexRange rows, const std::byte* features, std::size_t row_bytes);

/// Identifies data in memory: names and shapes, and the hash of all values as 16 hexadecimal digits. Each rank of
/// `node` hashes a part of the rows with `threads` threads. Throws AgreedError if nodes have different values.
/// Collective over world.
std::string content_in_memory(const DataSet& data, std::int64_t threads, const Communicator& world,
                              const Communicator& node);

/// Identifies streamed data, whose `targets` are in memory: names and shapes, the sum of the hashes of the blocks, and
/// their number of rows, on which the order of the rows in the training depends. Reads the features once, each rank a
/// part of them. Throws AgreedError. Collective over world.
std::string streamed_content(const DataOptions& options, const FileSchema& schema, const DataSet& targets,
                             std::int64_t threads, const Communicator& world);

}  // namespace sheaf
