// Models in mid-training on the disk: RUN_DIR/checkpoints/<trial>-<repeat>-<fold>-<member>.<steps>, the last two of
// each training. One that cannot be used is renamed to <its name>.unusable.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runs/journal/journal_line.hpp"
#include "study/trial.hpp"

namespace sheaf {

/// A checkpoint's file name without the directory.
struct CheckpointName {
  IterationKey training;   ///< training_of() its iterations
  std::int64_t steps = 0;  ///< completed optimizer steps
};

/// The checkpoints in the directory of a run; empty if it does not exist. Local.
std::vector<CheckpointName> list_checkpoints(const std::string& run_directory);

/// The checkpoints of one run. Threads and ranks may use it concurrently for different trainings. It never lists the
/// directory, which may have many files of other lanes: it starts with the checkpoints of earlier jobs and keeps track
/// of its own. No other process may write checkpoints of the same trainings. Local.
class CheckpointFiles {
 public:
  /// `earlier`: from list_checkpoints().
  CheckpointFiles(const std::string& run_directory, const JournalHeader& header,
                  const std::vector<CheckpointName>& earlier);
  CheckpointFiles(const CheckpointFiles&) = delete;
  CheckpointFiles& operator=(const CheckpointFiles&) = delete;

  /// The state in the newest checkpoint of the training; nothing if there is none. Files that are damaged, have
  /// another format or belong to another run are renamed; files that have been removed are skipped. Throws RunError.
  std::optional<std::string> load(const IterationKey& training);

  /// Makes load() look for the checkpoint after `steps` steps, which another rank may have saved, unless this rank
  /// knows a later one.
  void expect(const IterationKey& training, std::int64_t steps);

  /// Renames the newest checkpoint of the training, so that load() does not return it again, and logs a warning with
  /// the reason, but not more than three with the same one. Throws RunError.
  void set_aside(const IterationKey& training, const std::string& reason);

  /// Writes the state after `steps` steps under a temporary name, syncs and renames the file, and removes all but the
  /// last two checkpoints of the training. Not synced if `paused`: a search may pause many short trainings, and without
  /// the file the next stage trains them from the beginning. Throws RunError.
  void save(const IterationKey& training, std::int64_t steps, const std::string& state, bool paused = false);

  /// Forgets the checkpoints of trainings that are not in `names`, which may be from other processes.
  void keep(const std::vector<CheckpointName>& names);

  /// Removes the checkpoints of a training whose result is on disk.
  void discard(const IterationKey& training);

 private:
  // Logs a warning with this end, if there is one.
  void rename_newest(const IterationKey& training, const std::string& reason,
                     const std::optional<std::string>& warning_end);
  std::vector<std::int64_t> steps_of(const IterationKey& training) const;
  void set_steps(const IterationKey& training, std::vector<std::int64_t> steps);
  std::string path_of(const IterationKey& training, std::int64_t steps) const;

  const std::string directory_;
  const std::uint32_t seed_;
  mutable std::mutex mutex_;
  std::map<std::string, int> set_aside_;                     // number of checkpoints with each reason
  std::map<IterationKey, std::vector<std::int64_t>> steps_;  // of the files of each training that has some, ascending
};

/// RUN_DIR/checkpoints. Pure.
std::string checkpoint_directory(const std::string& run_directory);

/// Removes the checkpoints in the directory of a run whose trainings do not continue, and lists the rest. Local.
std::vector<CheckpointName> remove_other_checkpoints(const std::string& run_directory,
                                                     const std::function<bool(const IterationKey&)>& continues);

/// Removes all checkpoints of a complete run, including unusable and unfinished ones of earlier jobs, and the directory
/// if it is empty then. Files with other names stay. Local.
void remove_checkpoints(const std::string& run_directory);

}  // namespace sheaf
