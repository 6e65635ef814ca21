// Models in mid-training on the disk: RUN_DIR/checkpoints/<iteration>.<number>, the last two of each iteration. One
// that cannot be used is renamed to <iteration>.<number>.unusable.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runs/journal/journal_line.hpp"

namespace sheaf {

/// A checkpoint's file name without the directory.
struct CheckpointName {
  std::int64_t iteration = 0;
  std::int64_t number = 0;  ///< later checkpoints of an iteration have larger numbers
};

/// The checkpoints in the directory of a run; empty if it does not exist. Local.
std::vector<CheckpointName> list_checkpoints(const std::string& run_directory);

/// The checkpoints of one run. Threads and ranks may use it concurrently for different iterations. It never lists the
/// directory, which may have many files of other lanes: it starts with the checkpoints of earlier jobs and keeps track
/// of its own. No other process may write checkpoints of the same iterations. Local.
class CheckpointFiles {
 public:
  /// `earlier`: from list_checkpoints().
  CheckpointFiles(const std::string& run_directory, const JournalHeader& header,
                  const std::vector<CheckpointName>& earlier);
  CheckpointFiles(const CheckpointFiles&) = delete;
  CheckpointFiles& operator=(const CheckpointFiles&) = delete;

  /// The state in the newest checkpoint of the iteration; nothing if there is none. Files that are damaged, have
  /// another format or belong to another run are renamed; files that have been removed are skipped. Throws RunError.
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
  std::vector<std::int64_t> numbers_of(std::int64_t iteration) const;
  void set_numbers(std::int64_t iteration, std::vector<std::int64_t> numbers);
  std::string path_of(std::int64_t iteration, std::int64_t number) const;

  const std::string directory_;
  const std::uint32_t seed_;
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::vector<std::int64_t>>
      numbers_;  // of the files of each iteration that has some, ascending
};

/// RUN_DIR/checkpoints. Pure.
std::string checkpoint_directory(const std::string& run_directory);

/// Removes all checkpoints of a complete run, including unusable and unfinished ones of earlier jobs, and the directory
/// if it is empty then. Files with other names stay. Local.
void remove_checkpoints(const std::string& run_directory);

}  // namespace sheaf
