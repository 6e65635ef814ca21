// What the journals of a run know: the truth about it, from which its results are made and its rest is found.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/result_store.hpp"

namespace sheaf {

struct Replay {
  std::vector<std::string> files;
  ResultStore iterations;             ///< settled
  std::vector<RecordedStage> stages;  ///< each once, in the order of their lines; some may be missing
  std::vector<std::string>
      warnings;  ///< lines that were left out, with file and line number; what `forced` has allowed
};

/// Reads all journals of a run of at most `total` iterations. Of several entries of an iteration the first with a
/// result counts, else the last. A last line that was torn is left out; a damaged one, or one whose predictions are
/// damaged, is left out with a warning. Throws RunError when a journal has another format, belongs to another study,
/// or, unless `forced`, to other data or another version of the program than `header`, or cannot be read. Local.
Replay replay_journals(const std::string& run_directory, const JournalHeader& header, std::int64_t total, bool forced);

/// Those of some iterations that have no result, ascending. Pure.
std::vector<IndexRange> iterations_left(const ResultStore& known, IndexRange iterations);

/// An iteration's predictions; none where it has none. `files`: the journals that its `file` counts. Throws RunError
/// when they are not as they were written. Local.
std::vector<float> read_predictions(const std::vector<std::string>& files, const JournaledIteration& iteration);

}  // namespace sheaf
