// Finds rows that a program created but never wrote: HDF5 reads the fill value, usually 0, for them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "files/hdf5/data_set.hpp"

namespace sheaf {

/// Returns the ascending ranges of rows of which a chunk was never written; for a data set without chunks, all rows if
/// nothing was ever written. Empty for virtual data sets and external storage. Reads only the index of the chunks, and
/// looks for single chunks only if some are missing. Local.
std::vector<IndexRange> unwritten_rows(const DataSetReader& data_set);

/// Returns a warning about such rows, if there are any. Local.
std::optional<std::string> unwritten_warning(const DataSetReader& data_set);

/// Describes them: "rows 80 to 119 (40 of 120)". At most three ranges are listed. Pure.
std::string unwritten_text(const std::vector<IndexRange>& ranges, std::int64_t rows);

}  // namespace sheaf
