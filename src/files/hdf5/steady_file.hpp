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

/// An open input file that detects changes. Thread-safe.
class SteadyFile {
 public:
  /// `descriptor` is an open file. `path` is used in messages. Throws RunError. Local.
  SteadyFile(const std::string& path, int descriptor);

  /// Throws RunError if the file has changed since it was opened, or if a part of a view could not be read.
  void require_unchanged() const;

  /// Reads bytes. Bypasses the processor's caches if the next use is late and the bytes are in the page cache. Throws
  /// RunError with the reason, a part of a sentence.
  void read(std::byte* to, std::size_t bytes, std::int64_t offset, NextUse next_use = NextUse::soon) const;

  /// Returns the bytes in the mapped file, or null if they must be read instead. The pointer is valid as long as this
  /// object. Call require_unchanged() after using the bytes; if it throws, they may be wrong.
  const std::byte* view(std::int64_t offset, std::int64_t bytes) const;

 private:
  bool is_in_memory(std::int64_t offset) const;
  bool read_past_caches(std::byte* to, std::size_t bytes, std::int64_t offset) const;

  std::string path_;
  RegularFile file_;
  struct stat opened_;
  FileMapping mapping_;
};

/// Detects changes of files that HDF5 opens when it first reads their data. Thread-safe.
class WatchedFiles {
 public:
  /// Throws RunError if a file is missing. Local.
  explicit WatchedFiles(std::vector<std::string> paths);

  /// Throws RunError if a file was changed or replaced since the construction.
  void require_unchanged() const;

 private:
  std::vector<std::string> paths_;
  std::vector<struct stat> states_;
};

}  // namespace sheaf
