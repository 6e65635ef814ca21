// Writes the journal of a rank while it trains: one line per finished iteration.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/journal/stage_line.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// Lanes pass results to a separate thread, which writes them. Results are passed to the system within a tenth of a
/// second, so that they outlive the process, and are synced to disk within a second. Results of iterations that took
/// longer than a second are synced at once. If lanes finish iterations faster than the thread can write them, they wait
/// for it, so the results that are not written yet occupy at most 16 MiB. After a write error, earlier lines stay
/// valid, later results are dropped, and failure() returns the error. Local.
class JournalWriter {
 public:
  /// Creates the file `path` (journal_files.hpp), which must not exist, and writes the header. The caller syncs its
  /// directory. `on_disk`, if set, is called in the writing thread for each iteration whose result is on disk; it must
  /// not throw. Throws RunError.
  JournalWriter(const std::string& path, const JournalHeader& header,
                std::function<void(std::int64_t iteration)> on_disk = {});
  /// Writes the remaining results; ignores errors.
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Adds a result. Waits while 8 MiB of results and predictions have not been taken by the writing thread.
  /// Thread-safe.
  void append(TrainedIteration&& iteration);

  /// Writes the line of a stage before its results. Called before the first append() or after results_so_far().
  void begin_stage(const RecordedStage& recorded);

  /// Writes the line of the end of a search after all results so far.
  void end_search(const RecordedEnd& recorded);

  /// From now on, writes from time to time how long the job has trained since `start`: after 1, 2, 4, ... 64 seconds,
  /// then every 64 seconds.
  void record_time_since(Clock::time_point start);

  /// Writes the line of the end of a job that has trained for `seconds`, after all results so far. No other line of a
  /// time follows.
  void end_job(double seconds);

  /// From now on, syncs every result to disk at once, including waiting ones, because the process may end soon.
  void hurry();

  /// The message of a write error.
  std::optional<std::string> failure() const;

  /// The results so far, settled, after syncing them to disk; their `file` is the rank. For use between stages: valid
  /// until the next append(). Throws RunError.
  const ResultStore& results_so_far();

  /// Syncs everything to disk and closes the files. Throws RunError. Only take_results() may be called after this.
  void close();

  /// All results of the closed journal, like results_so_far().
  ResultStore take_results();

  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
