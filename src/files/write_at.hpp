// Bytes written at a place of a file, for all files that several threads or processes fill.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// Writes `count` bytes at `offset` of an open file, with as many calls as it takes. False: it could not, and errno
/// says why. Thread-safe. Local.
bool write_at(int descriptor, const void* bytes, std::size_t count, std::int64_t offset);

}  // namespace sheaf
