// A file that is read while it should stay as it is.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/file_mapping.hpp"
#include "core/past_caches.hpp"
#include "core/regular_file.hpp"

namespace sheaf {

/// Thread-safe.
class SteadyFile {
 public:
  /// The file that is open as `descriptor`; `path` is for messages. Throws RunError. Local.
  SteadyFile(const std::string& path, int descriptor);

  /// Throws RunError when it is not as it was when it was opened, or no longer there where it was viewed.
  void require_unchanged() const;

  /// Copies bytes; past the caches, those that are used late and that the system has in memory. Throws RunError with
  /// the reason, as half a sentence.
  void read(std::byte* to, std::size_t bytes, std::int64_t offset, NextUse next_use = NextUse::soon) const;

  /// The bytes where the system keeps them; null where they have to be read. They stay as long as this, and are the
  /// file's if require_unchanged() afterwards returns.
  const std::byte* view(std::int64_t offset, std::int64_t bytes) const;

 private:
  bool is_in_memory(std::int64_t offset) const;
  bool read_past_caches(std::byte* to, std::size_t bytes, std::int64_t offset) const;

  std::string path_;
  RegularFile file_;
  struct stat opened_;
  FileMapping mapping_;
};

/// Files that the HDF5 library opens and reads by itself, as late as it needs them. Thread-safe.
class WatchedFiles {
 public:
  /// Throws RunError when one is missing. Local.
  explicit WatchedFiles(std::vector<std::string> paths);

  /// Throws RunError when one of them was changed or replaced since.
  void require_unchanged() const;

 private:
  std::vector<std::string> paths_;
  std::vector<struct stat> states_;
};

}  // namespace sheaf
