// Finds rows that occur in several files of a study.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/dataset.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// The numbers of rows with the same features and targets, bit for bit, as some row of another file.
struct RepeatedRows {
  std::int64_t training_in_validation = 0;  ///< rows of data.file that are in data.validation_file
  std::int64_t training_in_test = 0;        ///< rows of data.file that are in data.test_file
  std::int64_t test_in_validation = 0;      ///< rows of data.test_file that are in data.validation_file
};

/// Compares the rows of data in memory by 64-bit hashes. Takes 8 bytes per row of the node's memory while it runs. Each
/// rank of `node` hashes a part of the rows with `threads` threads. Throws AgreedError if the node does not have enough
/// shared memory. Collective over world, of which `node` is a part.
RepeatedRows find_repeated_rows(const DataSet& data, std::int64_t threads, const Communicator& world,
                                const Communicator& node);

}  // namespace sheaf
