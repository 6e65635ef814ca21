// Models in mid-training on the disk: RUN_DIR/checkpoints/<iteration>.<number>, the last two of each iteration. One
// that cannot be used is renamed to <iteration>.<number>.unusable. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "runs/journal/journal_line.hpp"

namespace sheaf {

/// The checkpoints of one run. Different iterations may be used by different threads and ranks at once. It looks into
/// the directory when it is made, and knows its own files after that: most iterations have none. Local.
class CheckpointFiles {
 public:
  CheckpointFiles(const std::string& run_directory, const JournalHeader& header);
  CheckpointFiles(const CheckpointFiles&) = delete;
  CheckpointFiles& operator=(const CheckpointFiles&) = delete;

  /// The state of an iteration's newest checkpoint; nothing when there is none. Sets aside the files that are damaged,
  /// of another format or of another run. Throws RunError.
  std::optional<std::string> load(std::int64_t iteration);

  /// Renames the newest checkpoint of the iteration, which load() never returns again, and logs a warning with the
  /// reason. Throws RunError.
  void set_aside(std::int64_t iteration, const std::string& reason);

  /// Writes `state` under a temporary name, waits for the disk, renames, and removes all but the last two of the
  /// iteration. Throws RunError.
  void save(std::int64_t iteration, const std::string& state);

  /// Removes an iteration's checkpoints: its result is on the disk.
  void discard(std::int64_t iteration);

 private:
  bool has(std::int64_t iteration) const;

  const std::string directory_;
  const std::uint32_t seed_;
  mutable std::mutex mutex_;
  std::set<std::int64_t> kept_;  // iterations that have files
};

/// RUN_DIR/checkpoints. Pure.
std::string checkpoint_directory(const std::string& run_directory);

/// Removes all checkpoints of a run that is complete, also those of jobs that were killed before they did. Local.
void remove_checkpoints(const std::string& run_directory);

}  // namespace sheaf
