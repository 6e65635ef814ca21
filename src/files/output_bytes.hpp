// A file that any number of threads and processes write at offsets of their own.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sheaf {

class OutputBytes {
 public:
  /// Opens an existing file without changing it. Throws RunError, as all below.
  explicit OutputBytes(const std::string& path);
  ~OutputBytes();
  OutputBytes(const OutputBytes&) = delete;
  OutputBytes& operator=(const OutputBytes&) = delete;

  /// Thread-safe. Writing to the disk begins before sync(), every 16 MiB.
  void write(const std::byte* bytes, std::size_t count, std::int64_t offset) const;
  /// Makes the file at least offset + bytes long; the disk then has room for the bytes from `offset` on.
  void reserve(std::int64_t offset, std::int64_t bytes) const;
  /// Throws unless the disk has room for `bytes` now.
  void require_room(std::int64_t bytes) const;
  /// Waits until what was written is on the disk.
  void sync() const;
  std::uint64_t inode() const;

 private:
  void require_good(bool good) const;

  std::string path_;
  int descriptor_;
  mutable std::atomic<std::size_t> written_{0};  // bytes, by this object
};

}  // namespace sheaf
