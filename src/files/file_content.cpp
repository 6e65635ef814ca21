// SPDX-License-Identifier: MIT
#include "files/file_content.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "core/error.hpp"

namespace sheaf {

FileContent::FileContent(const std::string& path) : path_(path), file_(path) {
  struct stat status {};
  const std::int64_t size = ::fstat(file_.descriptor(), &status) == 0 ? status.st_size : 0;
  if (size > 0) mapping_ = std::make_unique<FileMapping>(file_.descriptor(), size);
  if (const std::byte* mapped = mapping_ ? mapping_->view(0, size) : nullptr) {
    bytes_ = {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
  } else {
    mapping_.reset();
    copy_ = file_.read_all();
    bytes_ = copy_;
  }
}

void FileContent::require_intact() const {
  require(!mapping_ || !mapping_->lost(),
          fmt::format("File '{}' cannot be read completely (it was truncated, or its storage failed). Copy it again.",
                      path_));
}

}  // namespace sheaf
