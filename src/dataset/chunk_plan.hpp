// Which rows each of several readers reads of a chunked file. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// What matters of a data set for reading it.
struct ReadShape {
  std::int64_t rows = 0;
  std::int64_t chunk_rows = 1;  ///< rows that the file stores, and compresses, together
  std::int64_t row_bytes = 1;   ///< of a row in memory
};

/// The reads of reader `reader` of `readers`, in order. Together the readers read each row once; a chunk is read by
/// one reader at one go, and shares differ by at most one chunk. A read takes at most `block_bytes` of memory, but at
/// least one chunk. All readers have the same number of reads, the last ones of some empty, so that they may be
/// collective.
std::vector<IndexRange> plan_reads(const ReadShape& shape, std::int64_t readers, std::int64_t reader,
                                   std::int64_t block_bytes);

}  // namespace sheaf
