// Access to the bytes of a file in the page cache, without a copy.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sheaf {

struct MappingSlot;

/// A memory-mapped file. If a page can no longer be read (the file was truncated, or its storage fails), access to it
/// would normally end the process by SIGBUS; here it reads zeros, and lost() returns true. Local, thread-safe.
class FileMapping {
 public:
  /// Maps an open file of `bytes`. If the system cannot map it, view() returns null.
  FileMapping(int descriptor, std::int64_t bytes);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  /// Returns the bytes from `offset`, or null if they are not mapped. Valid as long as this object. The bytes change
  /// with the file and are read from storage at the first access.
  const std::byte* view(std::int64_t offset, std::int64_t bytes) const;

  /// Returns whether a page was replaced by zeros.
  bool lost() const;

 private:
  std::int64_t bytes_;
  MappingSlot* slot_;                                   // entry for the signal handler; null: not mapped
  std::byte* begin_ = nullptr;                          // null: not mapped
  mutable std::atomic<std::int64_t> viewed_{0};         // bytes in all views
  mutable std::atomic<std::int64_t> latest_folio_{-1};  // index of the folio viewed last
};

}  // namespace sheaf
