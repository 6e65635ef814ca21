// Normalization of a data set that is larger than memory: one reading gives the statistics of all its splits.
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

/// The scaling of each of the study's splits, as Splits numbers them, from its training rows as feature_scaling() means
/// it; sums are combined in the order of the rows, the same for any number of ranks and threads. Empty without
/// data.normalize. Throws AgreedError when the file cannot be read, a feature is not finite, or there are more than
/// 1000 splits. Collective over world.
std::vector<FeatureScaling> streamed_scalings(const Study& study, const FileSchema& schema, Splits& all,
                                              std::int64_t threads, const Communicator& world);

}  // namespace sheaf
