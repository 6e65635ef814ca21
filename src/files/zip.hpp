// ZIP archives in memory: their directory, and members stored or deflated.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/byte_source.hpp"

namespace sheaf {

struct ZipMember {
  std::string name;
  int method = 0;  ///< 0 stored, 8 deflated
  bool encrypted = false;
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_offset = 0;  ///< of its local header, in the archive
};

/// The whole archive that `source` holds. Throws RunError, before most of it is read, when it does not begin as one.
std::string read_archive(ByteSource& source);

/// The archive's directory, with its 64-bit forms. Throws RunError naming `archive_name` when `archive` is none.
std::vector<ZipMember> zip_directory(std::string_view archive, const std::string& archive_name);

/// The member's bytes, `member.bytes` of them and never more: an archive that unpacks to more than it declares, or to
/// other bytes, is refused as they are read. `archive` outlives it. Throws RunError.
std::unique_ptr<ByteSource> open_member(std::string_view archive, const std::string& archive_name,
                                        const ZipMember& member);

}  // namespace sheaf
