// Models in mid-training on the disk: RUN_DIR/checkpoints/<iteration>.<number>, the last two of each iteration.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "journal/record_line.hpp"

namespace sheaf {

/// The checkpoints of one run. Different iterations may be used by different threads and ranks at once. Local.
class CheckpointFiles {
 public:
  /// Those that were written under another header are not loaded.
  CheckpointFiles(const std::string& run_directory, const JournalHeader& header);

  /// The state that was saved last of an iteration and is whole; nothing when there is none.
  std::optional<std::string> load(std::int64_t iteration) const;

  /// Writes `state` under a temporary name, waits for the disk, renames, and removes all but the last two of the
  /// iteration. Throws RunError.
  void save(std::int64_t iteration, const std::string& state) const;

  /// Removes an iteration's checkpoints: its record is on the disk.
  void discard(std::int64_t iteration) const;

 private:
  std::string directory_;
  std::uint32_t seed_;
};

}  // namespace sheaf
