// A file's bytes where the system keeps them, without a copy.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace sheaf {

struct MappedPlace;

/// Local, thread-safe. Access to mapped pages that the file has lost (it was cut short, or its storage fails) would end
/// the process by SIGBUS; here they become zeros instead, and lost() returns true.
class FileMapping {
 public:
  /// Of an open file of `bytes`. Where the system cannot map it, there is nothing to view.
  FileMapping(int descriptor, std::int64_t bytes);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  /// The bytes from `offset` on; null where they are not mapped. They stay as long as this, and change with the file;
  /// they are read from storage as they are looked at.
  const std::byte* view(std::int64_t offset, std::int64_t bytes) const;

  /// Whether a page had to be replaced by zeros.
  bool lost() const;

 private:
  std::int64_t bytes_;
  MappedPlace* place_;                                  // where the signal's handler finds it; null: not mapped
  std::byte* begin_ = nullptr;                          // null: not mapped
  mutable std::atomic<std::int64_t> viewed_{0};         // bytes, of all views
  mutable std::atomic<std::int64_t> latest_folio_{-1};  // that was viewed
};

}  // namespace sheaf
