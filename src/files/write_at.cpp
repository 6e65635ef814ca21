// SPDX-License-Identifier: MIT
#include "files/write_at.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

namespace sheaf {

bool write_at(int descriptor, const void* bytes, std::size_t count, std::int64_t offset) {
  const auto* from = static_cast<const std::byte*>(bytes);
  while (count > 0) {
    const ssize_t written = ::pwrite(descriptor, from, count, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;  // pwrite does not set errno in this case
    if (written <= 0) return false;
    from += written;
    count -= static_cast<std::size_t>(written);
    offset += written;
  }
  return true;
}

}  // namespace sheaf
