// Copies that leave the processor's caches to others. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace sheaf {

/// When bytes that are copied are looked at: soon, or so late that the caches hold others by then.
enum class NextUse { soon, late };

/// Copies bytes that are not looked at soon, with streaming stores: a plain copy reads what it is about to write over,
/// half as much again for the memory to do. The two must not overlap. Vectorised.
void copy_past_caches(const std::byte* from, std::size_t bytes, std::byte* to);

}  // namespace sheaf
