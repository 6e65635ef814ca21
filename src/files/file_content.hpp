// The content of a file, without a copy in memory if the system can map it.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "files/file_mapping.hpp"
#include "files/regular_file.hpp"

namespace sheaf {

/// A whole file. Local.
class FileContent {
 public:
  /// Throws RunError like RegularFile.
  explicit FileContent(const std::string& path);

  /// Valid as long as this object.
  std::string_view bytes() const { return bytes_; }
  /// Throws RunError if a part could not be read; bytes read so far are then not reliable.
  void require_intact() const;

 private:
  std::string path_;
  RegularFile file_;
  std::unique_ptr<FileMapping> mapping_;
  std::string copy_;  // if the file is not mapped
  std::string_view bytes_;
};

}  // namespace sheaf
