// Paths of the journals of a run: RUN_DIR/journal/<attempt>/<rank>.jsonl, and <rank>.predictions with the predictions
// of ensemble members. Each attempt adds files and never changes older ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// Creates the directory of a new attempt and returns its path. Several jobs may call it at the same time. Throws
/// RunError. Local, for rank 0.
std::string begin_attempt(const std::string& run_directory);

/// The files of a rank in the directory of an attempt.
std::string journal_path(const std::string& attempt, int rank);
std::string predictions_path(const std::string& journal_path);
/// The journal of another rank in the same attempt.
std::string sibling_journal(const std::string& journal_path, int rank);

/// All journals of a run, by attempt, then rank. Throws RunError if they or their predictions are not regular files.
/// Local.
std::vector<std::string> list_journals(const std::string& run_directory);

/// The names of the attempts so far, in order; and that of a journal's attempt. Local.
std::vector<std::string> list_attempts(const std::string& run_directory);
std::string attempt_of(const std::string& journal_path);

/// The number of attempts so far. Local.
std::int64_t count_attempts(const std::string& run_directory);

}  // namespace sheaf
