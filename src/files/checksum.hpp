// CRC-32, to detect incomplete and changed data in files. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// Returns the CRC-32 of `bytes`, continued from the checksum `before` of the preceding bytes.
std::uint32_t checksum(const void* bytes, std::size_t size, std::uint32_t before = 0);

}  // namespace sheaf
