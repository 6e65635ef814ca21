// The journal that a rank writes: its finished iterations, appended and made to last while it trains.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runs/journal/journal_line.hpp"
#include "runs/journal/result_store.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// Lanes hand results over and go on; a thread of its own writes them. They reach the system within a tenth of a second
/// (and so outlive the process) and the disk within a second, at once where the iteration took longer than that. A
/// failure to write ends nothing by itself: `failure` tells of it, what was written before stays good, and later
/// results are dropped. Local.
class JournalWriter {
 public:
  /// Makes the file `path` (journal_files.hpp), which must not exist yet, with its header. `settled`, if any, is told
  /// of each iteration whose result is on the disk, in the writing thread; it throws nothing. Throws RunError.
  JournalWriter(const std::string& path, const JournalHeader& header,
                std::function<void(const IterationResult&)> settled = {});
  /// Writes what it was given, as far as it can.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Waits only when the disk is behind by more than 256 MiB of predictions. Called by lanes, concurrently.
  void append(TrainedIteration&& iteration);

  /// Writes the line of a stage before its results. Called before the first append, or after results_so_far().
  void begin_stage(const RecordedStage& recorded);

  /// From now on every result is brought to the disk at once, what waits included: the process may end soon.
  void hurry();

  /// Why it cannot be written any more.
  std::optional<std::string> failure() const;

  /// The results so far, settled, their `file` being the result's rank; all of them are on the disk. Between stages:
  /// valid until the next append. Throws RunError.
  const ResultStore& results_so_far();

  /// Everything is on the disk. Throws RunError. Only take_results() may follow.
  void close();

  /// All results of the closed journal, as results_so_far().
  ResultStore take_results();

  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
