// SPDX-License-Identifier: MIT
#include "files/checksum.hpp"

#include <zlib.h>

namespace sheaf {

std::uint32_t checksum(const void* bytes, std::size_t size, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, static_cast<const Bytef*>(bytes), size));
}

}  // namespace sheaf
