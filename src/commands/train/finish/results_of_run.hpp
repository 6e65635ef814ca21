// The result files of a complete run, its models, ensemble and summary.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/finish/end_of_run.hpp"
#include "commands/train/training/ensemble_score.hpp"
#include "commands/train/training/ensemble_selection.hpp"
#include "commands/train/training/final_gather.hpp"
#include "core/error.hpp"
#include "runs/directory/directory_lock.hpp"
#include "runs/results/result_stream.hpp"
#include "runs/results/run_results.hpp"

namespace sheaf {

/// Reports on stderr that no iteration has finished. Local, for rank 0.
void report_no_finished_iteration(const TrainingContext& context, const RunResults& results);

/// Writes the results while its iterations arrive. Makes no MPI call. Local, for rank 0.
class ResultsOfRun {
 public:
  /// `streamed_bytes`: read by all ranks. `idle_share`: RunResults::idle_share. `files`: the journals, indexed by
  /// JournaledIteration::file. `locks`: are held until the results are written. `end` outlives the object. Throws
  /// RunError.
  ResultsOfRun(const EndOfRun& end, const TableExtent& extent, std::int64_t streamed_bytes,
               std::optional<double> idle_share, std::vector<std::string> files, std::vector<DirectoryLock> locks);

  /// Adds the next iterations of the plan, in order. Throws RunError.
  void take(const std::vector<GatheredResult>& window);

  /// Gives the files their names and prints the summary, after the last line of the log. Throws RunError.
  ExitCode finish();

 private:
  std::int64_t refit_rows() const;
  void select_ensemble(RunResults& results) const;
  std::optional<TrialEnsemble> selected_ensemble(const std::vector<TrialSummary>& trials) const;
  void test(RunResults& results) const;
  void score_bags(RunResults& results) const;
  IndexRange predicting_iterations(const RunResults& results) const;
  std::vector<std::string> predicting_files(const RunResults& results) const;
  std::int64_t threads() const;
  void take_predictions(const JournaledIteration& iteration);
  void describe(const RunResults& results) const;

  const EndOfRun& end_;
  const std::int64_t streamed_bytes_;  // read by all ranks
  const std::optional<double> idle_share_;
  const std::vector<std::string> files_;
  std::vector<DirectoryLock> locks_;
  const bool keeps_predictions_;
  std::int64_t without_predictions_ = 0;  // iterations whose predictions do not fit the data
  ResultStream stream_;
  EnsembleScore ensembles_;
  ResultTally tally_;
  std::optional<EnsembleSelection> selection_;  // with search.ensemble = greedy
};

}  // namespace sheaf
