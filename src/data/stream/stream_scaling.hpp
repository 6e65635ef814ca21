// Computes the scaling and the fill values of streamed data: one pass over the file gives the statistics of all splits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "data/splits.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

struct Study;

/// Statistics of all splits of a study, and with run.refit of all rows.
struct StreamStatistics {
  SplitScalings scalings;                     ///< for Splits::scale_by(); values that scale nothing are left out
  std::shared_ptr<const FeatureFills> fills;  ///< as DataSet::fills
};

/// Reads the file once if a trial scales or embeds features or if the file may have empty cells, and computes the
/// feature_scaling() of each split for each of the scaling_kinds(). Sums are combined in the order of the rows, so
/// that results do not depend on the number of ranks and threads. Throws AgreedError if the file cannot be read, a
/// feature is not valid, or there are more than 1000 splits whose sums are needed. Collective over `world`.
StreamStatistics streamed_statistics(const Study& study, const FileSchema& schema, Splits& all, std::int64_t threads,
                                     const Communicator& world);

}  // namespace sheaf
