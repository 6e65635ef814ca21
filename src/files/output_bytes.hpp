// An existing file that several threads and processes write at different offsets.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sheaf {

class OutputBytes {
 public:
  /// Opens an existing file without changing it. All members throw RunError.
  explicit OutputBytes(const std::string& path);
  ~OutputBytes();
  OutputBytes(const OutputBytes&) = delete;
  OutputBytes& operator=(const OutputBytes&) = delete;

  /// Thread-safe. Starts writeback to the disk every 16 MiB, so that sync() has less to wait for.
  void write(const std::byte* bytes, std::size_t count, std::int64_t offset) const;
  /// Reserves disk space for `bytes` from `offset`. The file is then at least offset + bytes long.
  void reserve(std::int64_t offset, std::int64_t bytes) const;
  /// Throws unless the disk has `bytes` of free space now.
  void require_room(std::int64_t bytes) const;
  /// Waits until all written bytes are on the disk.
  void sync() const;
  std::uint64_t inode() const;

 private:
  void require_good(bool good) const;

  std::string path_;
  int descriptor_;
  mutable std::atomic<std::size_t> written_{0};  // bytes written by this object
};

}  // namespace sheaf
