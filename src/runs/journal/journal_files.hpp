// Where the journals of a run lie: RUN_DIR/journal/<attempt>/<rank>.jsonl, and beside each <rank>.predictions where an
// ensemble's predictions are kept. An attempt is a run or one that resumes it; it adds files and touches no older ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// Makes the directory of a new attempt, whatever other jobs do at the same time, and returns its path. Throws
/// RunError. Local, for rank 0.
std::string begin_attempt(const std::string& run_directory);

/// A rank's files in an attempt's directory.
std::string journal_path(const std::string& attempt, int rank);
std::string predictions_path(const std::string& journal_path);
/// The journal of another rank in the same attempt.
std::string sibling_journal(const std::string& journal_path, int rank);

/// All journals of a run, by attempt, then rank; they and their predictions are regular files. Throws RunError. Local.
std::vector<std::string> list_journals(const std::string& run_directory);

/// How many attempts have been begun. Local.
std::int64_t count_attempts(const std::string& run_directory);

}  // namespace sheaf
