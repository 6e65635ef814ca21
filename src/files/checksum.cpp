// SPDX-License-Identifier: MIT
#include "files/checksum.hpp"

#include <libdeflate.h>

namespace sheaf {

// Several times as fast as zlib's function.
std::uint32_t checksum(const void* bytes, std::size_t size, std::uint32_t before) {
  return ::libdeflate_crc32(before, bytes, size);
}

}  // namespace sheaf
