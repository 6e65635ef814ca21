// Reads a run directory, whether the run is finished, under way or was killed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index_range.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/replay.hpp"
#include "runs/search_stages.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The state of a run, according to its journals.
struct RunProgress {
  Replay journals;               ///< their results, recorded stages, and warnings
  std::vector<IndexRange> left;  ///< iterations of the plan's last stage without a result; empty: the search is done
  bool is_complete = false;      ///< each iteration of the stages so far has a result, failed ones included
};

/// Each function reads its part of the directory anew. They throw UsageError and RunError. Local; where a decision
/// depends on the result, under the locks of the directory.
class RunReader {
 public:
  explicit RunReader(std::string directory) : directory_(std::move(directory)) {}

  /// The text of study.cfg. Throws when another version of the program stored it, unless `forced`.
  std::string study_text(bool forced) const;
  /// The study that it holds, which is settled.
  Study study(bool forced) const;

  /// The study, data and program that the results belong to: the header of the first journal that has one. None: no
  /// journal has begun.
  std::optional<JournalHeader> identity() const;

  /// Whether the result files are written.
  bool has_results() const;
  /// Jobs that have trained a part of the run.
  std::int64_t attempts() const;

  /// Replays the journals (replay_journals), and adds to the plan of `stages`, which has the first stage, those that
  /// follow from the results. Throws when a stage was recorded otherwise, or results are there without a journal.
  RunProgress progress(SearchStages& stages, const JournalHeader& expected, bool forced) const;

  /// The files of the best model's members; none: the run names no best model.
  std::vector<std::string> best_models() const;

 private:
  const std::string directory_;
};

}  // namespace sheaf
