// Writes bytes at an offset of a file, for files that several threads or processes write.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// Writes `count` bytes at `offset` of an open file, with as many system calls as needed. Returns false on failure,
/// with the reason in errno. Thread-safe. Local.
bool write_at(int descriptor, const void* bytes, std::size_t count, std::int64_t offset);

}  // namespace sheaf
