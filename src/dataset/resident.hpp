// Puts a study's data set into memory that all ranks of a node share.
// SPDX-License-Identifier: MIT
#pragma once

#include "dataset/dataset.hpp"
#include "mpi/communicator.hpp"
#include "options/study.hpp"

namespace sheaf {

/// Reads the file's data sets once per node, each of its ranks a share of the chunks, into MPI shared memory, and
/// checks every value on the way. Numbers of any type become float (labels int64).
/// Collective over `world`; `node` holds the ranks of one node. The last copy of the result must go on all ranks of a
/// node alike: freeing the memory is collective over them. Throws AgreedError, the same whatever the number of ranks,
/// when the file is missing, no HDF5 file, lacks a data set, its data sets differ in length, a feature or target is not
/// finite, a label is no integer, negative or too high, a weight is negative or not finite, no weight is positive, or a
/// node lacks the shared memory.
DataSet load_resident(const DataOptions& options, const Communicator& world, const Communicator& node);

}  // namespace sheaf
