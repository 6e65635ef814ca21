// Features as users know them, of which the importance is reported, and their permutations. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "data/data_description.hpp"

namespace sheaf {

/// A column of a table, with all features of its one-hot encoding, or a channel of images.
struct ReportedFeature {
  std::string name;
  IndexRange features;  ///< of a row; they are permuted together
};

/// The columns, or of images [channels, height, width] the channels. `columns`: those of the features, whose names may
/// be empty. `data` names the file in messages. Throws RunError for images with one channel and rows of other shapes,
/// which have no features to permute.
std::vector<ReportedFeature> reported_features(const std::vector<std::int64_t>& row_shape,
                                               const std::vector<DataColumn>& columns, const std::string& data);

/// A permutation of 0..rows-1 for a repeat of a reported feature (its number): a Fisher-Yates shuffle with the random
/// stream (seed, Purpose::permuted_features, feature * 2^32 + repeat). Requires rows <= 2^32.
std::vector<std::int64_t> permutation(std::int64_t rows, std::uint64_t seed, std::int64_t feature, std::int64_t repeat);

}  // namespace sheaf
