// Writes ZIP archives whose members are stored, not compressed.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/byte_sink.hpp"

namespace sheaf {

/// A member of a new archive. Its bytes are those of `parts`, one after the other, which are not copied.
struct NewZipMember {
  std::string name;  ///< UTF-8
  std::vector<std::string_view> parts;
};

/// Passes the bytes of an archive to `sink` in their order. The bytes of each member begin at a multiple of 64, as
/// PyTorch's do, so that they can be used in a mapping of the file. Uses the 64-bit formats where sizes, offsets or the
/// number of members need them. Throws what `sink` throws. Pure otherwise.
/// Source: PKWARE's APPNOTE 6.3, sections 4.3 to 4.5; the padding is that of caffe2/serialize/inline_container.cc.
void write_zip_archive(const std::vector<NewZipMember>& members, const ByteSink& sink);

}  // namespace sheaf
