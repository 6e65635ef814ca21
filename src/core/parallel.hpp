// Parallel loops.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "core/index_range.hpp"

namespace sheaf {

/// The loop body, called with an index.
using IndexWork = std::function<void(std::int64_t)>;

/// Calls work(i) once for each index. At most `threads` threads, including the caller, take the indices in ascending
/// order. Each thread calls `make_work` once, so the bodies can have memory of their own. After an exception no further
/// index is taken, and the exception of the lowest failing index is rethrown; all indices below it were processed.
void for_each_index(IndexRange indices, std::int64_t threads, const std::function<IndexWork()>& make_work);

}  // namespace sheaf
