// The two passes of preprocessing over the rows of a file, shared among ranks and threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "data/transform/row_transformer.hpp"
#include "files/hdf5/derived_file.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// What all passes work on.
struct PreprocessJob {
  const Communicator& world;
  std::int64_t threads;  ///< of this rank
  const StoredRows& source;
  const TransformPlan& plan;
};

/// The scaling of a row's elements, from all rows; nothing when the plan has none. Rows are taken in segments that only
/// the file decides, and joined in their order: the same bits on any number of ranks and threads. Collective.
std::optional<RowScaling> find_scaling(const PreprocessJob& job);

/// Writes the rows from `address` of the file at `path` on; each rank a part of its own. Collective.
void write_in_place(const PreprocessJob& job, const RowScaling* scaling, const std::string& path, std::int64_t address);

/// All ranks compress chunks of `rows`, rank 0 writes them to `file`, which others need not have. Collective.
void write_compressed(const PreprocessJob& job, const RowScaling* scaling, const DerivedRows& rows, DerivedFile* file);

}  // namespace sheaf
