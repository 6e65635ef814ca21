// Chooses how the feature columns of an import are read.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_decimal.hpp"
#include "data/import/csv_features.hpp"
#include "data/import/csv_layout.hpp"

namespace sheaf {

/// One column for each feature, in the order of layout.features: as the known data describe it or, without such
/// data, by the evidence of the first file. Keeps a reference to `options.empty`. Throws RunError for texts that
/// resemble numbers.
std::vector<FeatureColumn> choose_features(const CsvBeginning& first, const CsvLayout& layout,
                                           const ChosenDecimal& decimal, const CsvOptions& options);

}  // namespace sheaf
