// Models in mid-training on the disk: RUN_DIR/checkpoints/<iteration>.<number>, the last two of each iteration. One
// that cannot be used is renamed to <iteration>.<number>.unusable.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "runs/journal/journal_line.hpp"

namespace sheaf {

/// The checkpoints of one run. Threads and ranks may use it concurrently for different iterations. The constructor
/// lists the directory once; after that the object keeps track of its own files, since most iterations have none.
/// Local.
class CheckpointFiles {
 public:
  CheckpointFiles(const std::string& run_directory, const JournalHeader& header);
  CheckpointFiles(const CheckpointFiles&) = delete;
  CheckpointFiles& operator=(const CheckpointFiles&) = delete;

  /// The state in the newest checkpoint of the iteration; nothing if there is none. Files that are damaged, have
  /// another format or belong to another run are renamed. Throws RunError.
  std::optional<std::string> load(std::int64_t iteration);

  /// Renames the newest checkpoint of the iteration, so that load() does not return it again, and logs a warning with
  /// the reason. Throws RunError.
  void set_aside(std::int64_t iteration, const std::string& reason);

  /// Writes `state` under a temporary name, syncs and renames the file, and removes all but the last two checkpoints of
  /// the iteration. Throws RunError.
  void save(std::int64_t iteration, const std::string& state);

  /// Removes the checkpoints of an iteration whose result is on disk.
  void discard(std::int64_t iteration);

 private:
  bool has(std::int64_t iteration) const;

  const std::string directory_;
  const std::uint32_t seed_;
  mutable std::mutex mutex_;
  std::set<std::int64_t> with_files_;  // iterations
};

/// RUN_DIR/checkpoints. Pure.
std::string checkpoint_directory(const std::string& run_directory);

/// Removes all checkpoints of a complete run, including unusable and unfinished ones of earlier jobs, and the directory
/// if it is empty then. Files with other names stay. Local.
void remove_checkpoints(const std::string& run_directory);

}  // namespace sheaf
