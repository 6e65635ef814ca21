// Loops over threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "core/index_range.hpp"

namespace sheaf {

/// What one thread does with an index.
using IndexWork = std::function<void(std::int64_t)>;

/// Calls work(i) for all indices, each once, by at most `threads` threads (the caller among them) that take the lowest
/// index left; `make_work` is called once in each thread and may give it memory of its own. When a call throws, no
/// further index is taken, and what was thrown for the lowest one is thrown here: all below it were done.
void for_each_index(IndexRange indices, std::int64_t threads, const std::function<IndexWork()>& make_work);

}  // namespace sheaf
