// CRC-32, which tells torn and changed bytes from those that were written. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// CRC-32 of the bytes, continued from the checksum of the bytes before them.
std::uint32_t checksum(const void* bytes, std::size_t size, std::uint32_t before = 0);

}  // namespace sheaf
