// Copies that bypass the processor's caches. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace sheaf {

/// When copied bytes are next read: soon, or so late that they would no longer be in the caches.
enum class NextUse { soon, late };

/// Copies bytes that are not read again soon, with streaming stores. A plain copy also reads the destination, which
/// adds half to the memory traffic. `from` and `to` must not overlap. Vectorized.
void copy_past_caches(const std::byte* from, std::size_t bytes, std::byte* to);

}  // namespace sheaf
