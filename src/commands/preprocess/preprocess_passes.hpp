// The two passes of preprocessing over the rows of a file, split among ranks and threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "data/transform/row_transformer.hpp"
#include "files/hdf5/derived_file.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Arguments that all passes have in common.
struct PreprocessJob {
  const Communicator& world;
  std::int64_t threads;  ///< of this rank
  const StoredRows& source;
  const TransformPlan& plan;
};

/// Computes the scaling of each element of a row from all rows; nothing if the plan has no scaling. Statistics are
/// computed per segment, whose limits depend only on the file, and joined in the order of the segments. The result has
/// the same bits for any number of ranks and threads. Throws AgreedError. Collective.
std::optional<RowScaling> find_scaling(const PreprocessJob& job);

/// Writes the rows into the file at `path`, starting at byte `address`; each rank writes its part. Throws AgreedError.
/// Collective.
void write_in_place(const PreprocessJob& job, const RowScaling* scaling, const std::string& path, std::int64_t address);

/// Compresses the chunks of `rows` on all ranks. Rank 0 writes them to `file`, which may be null on other ranks. Throws
/// AgreedError. Collective.
void write_compressed(const PreprocessJob& job, const RowScaling* scaling, const DerivedRows& rows, DerivedFile* file);

}  // namespace sheaf
