// Puts a study's data set into memory that all ranks of a node share.
// SPDX-License-Identifier: MIT
#pragma once

#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "data/storage.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// inspect_file() on every rank. Throws AgreedError when the file is missing, no HDF5 file, unfit, or not the same on
/// all nodes. Collective over world.
FileSchema agree_on_file(const DataOptions& options, const Communicator& world);

/// What a row of the file takes in memory. Pure.
RowShape row_shape(const FileSchema& schema, Task task);

/// Reads the file's data sets once per node, each of its ranks a share of the chunks by `threads` threads, into MPI
/// shared memory, and checks every value on the way. Features of unsigned bytes stay so, other numbers of any type
/// become float (labels int64).
/// Collective over `world`; `node` holds the ranks of one node. The last copy of the result must go on all ranks of a
/// node alike: freeing the memory is collective over them. Throws AgreedError, the same whatever the number of ranks,
/// as agree_on_file(), and when the file cannot be read, a feature or target is not finite, a label is no integer,
/// negative or too high, a weight is negative or not finite, no weight is positive, or a node lacks the shared memory.
DataSet load_to_node_memory(const DataOptions& options, const FileSchema& schema, std::int64_t threads,
                            const Communicator& world, const Communicator& node);

/// The same for all but the features, which are null in the result. Collective over `world`.
DataSet load_targets(const DataOptions& options, const FileSchema& schema, const Communicator& world,
                     const Communicator& node);

}  // namespace sheaf
