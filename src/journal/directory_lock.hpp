// Who may work in a run directory at the same time.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

namespace sheaf {

/// alone: or not at all; shared: with others that share it, or not at all; in_turn: alone, after waiting for it.
enum class Hold { alone, shared, in_turn };

/// Holds the lock file RUN_DIR/journal/<name> until it goes. The system keeps the lock (flock), so it ends with the
/// process, however that ends; the file stays, and means nothing by itself. On file systems that cannot lock it warns
/// instead. Local, for rank 0.
class DirectoryLock {
 public:
  /// Makes the file where it is missing. Throws RunError, with the host and process of another job, when that holds it.
  DirectoryLock(const std::string& run_directory, const std::string& name, Hold hold = Hold::alone);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace sheaf
