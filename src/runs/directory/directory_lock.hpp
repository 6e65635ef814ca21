// Locks of a run directory against other jobs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace sheaf {

/// alone: exclusive; shared: together with other shared locks; in_turn: exclusive, after waiting for it. The first two
/// fail if another job has the lock.
enum class Hold { alone, shared, in_turn };

/// Another job has the lock of a run directory.
class DirectoryInUse : public RunError {
 public:
  using RunError::RunError;
};

/// Whether another process has a lock. unknown: the file cannot be read, or its file system has no locks.
enum class LockState { free, taken, unknown };

/// The process that has a lock.
struct LockHolder {
  std::string host;  ///< empty: not known
  std::int64_t process = 0;
};

/// The state of a lock of a run directory.
struct FoundLock {
  LockState state = LockState::free;
  LockHolder holder{};  ///< if it is taken
};

/// Whether another process holds the lock RUN_DIR/journal/<name> alone or in turn. Takes a shared lock and releases it
/// at once; a DirectoryLock that is refused for this reason succeeds a moment later. Creates and changes no file, and
/// needs no write permission. Local.
FoundLock find_lock(const std::string& run_directory, const std::string& name);

/// Reads the text that a job writes into its lock file, "process 123 on host". Empty for other texts. Pure.
LockHolder parse_holder(const std::string& text);

/// Locks the file RUN_DIR/journal/<name> with flock until it is destroyed. The system releases the lock when the
/// process ends for any reason. The file remains, but is not locked by its existence. Warns on file systems without
/// locks. RUN_DIR may be a symbolic link to a directory; the journal directory and the lock file may not be links.
/// Local, for rank 0.
class DirectoryLock {
 public:
  /// Creates missing directories and the file, and locks it. Throws DirectoryInUse, with host and process of the other
  /// job, if another job has the lock, and RunError.
  DirectoryLock(const std::string& run_directory, const std::string& name, Hold hold = Hold::alone);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept
      : directory_(std::move(other.directory_)),
        path_(std::move(other.path_)),
        made_directories_(std::move(other.made_directories_)),
        is_new_(other.is_new_),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  /// For a job that cannot begin its run: removes the file, if no other job has locked it before, and the directories
  /// that this object created, unless other jobs use them. No other function may be called after this.
  void discard();

 private:
  void acquire(Hold hold);
  void open_file();
  bool is_in_place() const;

  std::string directory_, path_;
  std::vector<std::string> made_directories_;  // outermost first
  bool is_new_ = false;                        // no other job has locked the file before
  int descriptor_ = -1;
};

}  // namespace sheaf
