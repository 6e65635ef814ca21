// Input files that must not change while they are read.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/past_caches.hpp"
#include "files/file_mapping.hpp"
#include "files/regular_file.hpp"

namespace sheaf {

/// Thread-safe.
class SteadyFile {
 public:
  /// The file that is open as `descriptor`; `path` is for messages. Throws RunError. Local.
  SteadyFile(const std::string& path, int descriptor);

  /// Throws RunError when the file has changed since it was opened, or a viewed part of it could not be read.
  void require_unchanged() const;

  /// Copies bytes; past the CPU's caches when they are used late and the system has them in memory. Throws RunError
  /// with the reason, as part of a sentence.
  void read(std::byte* to, std::size_t bytes, std::int64_t offset, NextUse next_use = NextUse::soon) const;

  /// The bytes in the mapped file; null where they have to be read. Valid as long as this, provided that
  /// require_unchanged() returns afterwards.
  const std::byte* view(std::int64_t offset, std::int64_t bytes) const;

 private:
  bool is_in_memory(std::int64_t offset) const;
  bool read_past_caches(std::byte* to, std::size_t bytes, std::int64_t offset) const;

  std::string path_;
  RegularFile file_;
  struct stat opened_;
  FileMapping mapping_;
};

/// Files that HDF5 opens at its first read of their data. Thread-safe.
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
