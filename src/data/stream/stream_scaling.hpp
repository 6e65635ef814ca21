// Computes the scaling of streamed data: one pass over the file gives the statistics of all splits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "data/splits.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The feature_scaling() of each split of the study, in the order of Splits::count(). Sums are combined in the order of
/// the rows, so that results do not depend on the number of ranks and threads. Empty without data.normalize. Throws
/// AgreedError if the file cannot be read, a feature is not finite, or there are more than 1000 splits. Collective over
/// `world`.
std::vector<FeatureScaling> streamed_scalings(const Study& study, const FileSchema& schema, Splits& all,
                                              std::int64_t threads, const Communicator& world);

}  // namespace sheaf
