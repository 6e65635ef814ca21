// Who may work in a run directory at the same time.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sheaf {

/// alone: or not at all; shared: with others that share it, or not at all; in_turn: alone, after waiting for it.
enum class Hold { alone, shared, in_turn };

/// Holds the lock file RUN_DIR/journal/<name> until it goes. The system keeps the lock (flock), so it ends with the
/// process, however that ends; the file stays, and means nothing by itself. On file systems that cannot lock it warns
/// instead. RUN_DIR may be a symbolic link to a directory; the journal and the lock file may not be links. Local, for
/// rank 0.
class DirectoryLock {
 public:
  /// Makes the directories and the file where they are missing. Throws RunError, with the host and process of another
  /// job, when that holds it.
  DirectoryLock(const std::string& run_directory, const std::string& name, Hold hold = Hold::alone);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept
      : directory_(std::move(other.directory_)),
        path_(std::move(other.path_)),
        made_directories_(std::move(other.made_directories_)),
        made_file_(other.made_file_),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;

  /// For a job that cannot begin its run: removes the file and the directories that this object made, unless others use
  /// them. The last call.
  void discard();

 private:
  void acquire(Hold hold);
  void open_file();
  bool is_in_place() const;

  std::string directory_, path_;
  std::vector<std::string> made_directories_;  // the outermost first
  bool made_file_ = false;
  int descriptor_ = -1;
};

}  // namespace sheaf
