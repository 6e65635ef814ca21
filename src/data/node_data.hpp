// Loads a study's data set into memory that all ranks of a node share.
// SPDX-License-Identifier: MIT
#pragma once

#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "data/storage.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Calls inspect_file() on every rank. Throws AgreedError if it throws on any rank, if a file differs between nodes, or
/// if a file of held-out rows has other columns. Collective over `world`.
FileSchema agree_on_file(const DataOptions& options, const Communicator& world);

/// The memory layout of the file's rows. Pure.
RowShape row_shape(const FileSchema& schema, Task task);

/// Reads the data sets of the file, and behind them those of the files of held-out rows, once per node into MPI shared
/// memory, and checks every value. Each rank of a node reads
/// an equal part of the blocks with `threads` threads. Features of unsigned bytes stay bytes, labels become int64, all
/// other numbers float. Collective over `world`; `node` is the communicator of the ranks of one node. Freeing the
/// memory is collective over `node`: all its ranks must destroy their last copy of the result at the same point of the
/// program. Throws AgreedError, independent of the number of ranks, if the file cannot be read, a feature or target is
/// not finite, a label is not an integer or out of range, a held-out row has another class, a weight is negative or not
/// finite, no weight is positive, or a node does not have enough shared memory.
DataSet load_to_node_memory(const DataOptions& options, const FileSchema& schema, std::int64_t threads,
                            const Communicator& world, const Communicator& node);

/// Same, but without the features, which are null in the result. Collective over `world`.
DataSet load_targets(const DataOptions& options, const FileSchema& schema, const Communicator& world,
                     const Communicator& node);

}  // namespace sheaf
