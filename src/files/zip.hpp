// Reads ZIP archives in memory, with stored or deflated members.
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
  int method = 0;  ///< 0: stored, 8: deflated
  bool encrypted = false;
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_offset = 0;  ///< offset of the local header in the archive
};

/// Reads the whole archive from `source`. Throws RunError after the first bytes if they are not a ZIP signature.
std::string read_archive(ByteSource& source);

/// Parses the directory of the archive; supports the 64-bit formats. Throws RunError with `archive_name` if `archive`
/// is not a valid archive.
std::vector<ZipMember> zip_directory(std::string_view archive, const std::string& archive_name);

/// Returns a source of the `member.bytes` bytes of a member. `archive` must outlive it. Throws RunError; reading throws
/// it, too, if the member unpacks to more bytes than declared or its checksum is wrong.
std::unique_ptr<ByteSource> open_member(std::string_view archive, const std::string& archive_name,
                                        const ZipMember& member);

/// Reads a member and checks its size and checksum, without a copy of its bytes. Throws RunError like open_member() and
/// reading.
void verify_member(std::string_view archive, const std::string& archive_name, const ZipMember& member);

}  // namespace sheaf
