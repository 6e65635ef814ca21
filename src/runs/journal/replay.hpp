// Reads the journals of a run, which determine its results and its remaining iterations.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/journal/stage_line.hpp"
#include "study/array_slice.hpp"

namespace sheaf {

/// The results of a refit. They count only if the plan of the run has this stage: a search that goes on gives their
/// numbers to other iterations, and is followed by a refit of its own. A refit is dropped if a later attempt has
/// results of the search.
struct ReplayedRefit {
  RecordedStage recorded;
  std::string attempt;            ///< the last one that has recorded it
  ResultStore results;            ///< settled
  std::int64_t result_lines = 0;  ///< as in Replay
};

/// What the journals of a job have recorded about it.
struct ReplayedJob {
  std::optional<RecordedTime> time;  ///< the last one
  std::int64_t lanes = 0;            ///< of all ranks; 0: not known
  std::optional<double> expected_seconds;
};

struct Replay {
  std::vector<std::string> files;
  std::vector<std::optional<JournalHeader>> headers;  ///< [files]; nullopt: damaged
  ResultStore iterations;                             ///< settled
  std::vector<RecordedStage> stages;  ///< of the search; distinct, in the order of their lines; some may be missing,
                                      ///< and those that add repeats have lines of iterations
  std::vector<ReplayedRefit> refits;  ///< likewise
  std::map<std::int64_t, std::vector<std::string>> values;  ///< by iteration: of searched keys, as the journal has them
  std::optional<RecordedEnd> end;                           ///< the last one
  std::map<std::string, ReplayedJob> jobs;                  ///< by attempt
  std::int64_t result_lines = 0;  ///< lines with a result, counting each line of an iteration that has several
  std::int64_t iteration_lines =
      0;                    ///< lines of iterations, also of those that failed, and of refits that do not count
  double line_seconds = 0;  ///< of training in these lines, without that of earlier jobs
  std::vector<std::string> warnings;              ///< about skipped lines, with file and line number
  std::vector<std::string> accepted_differences;  ///< of data, model files or program version, with `forced`
};

/// Numbers of iterations of a run.
struct IterationLimits {
  std::int64_t total = 0;        ///< in all stages, at most
  std::int64_t first_stage = 0;  ///< in stage 0, which follows from the study alone
};

/// Reads all journals of a run. If an iteration has several lines, the first one with a result counts, otherwise the
/// last one. An incomplete last line is skipped. Skipped with a warning: damaged lines, lines with damaged predictions,
/// and results of a later stage that no earlier line of the same journal records, because the stage may have had other
/// trials. Throws RunError if a journal cannot be read, has another format or belongs to another study; also, unless
/// `forced`, if data, model files or program version differ from `header`, or if the header of a journal is damaged and
/// no other line fits `header`. Local.
Replay replay_journals(const std::string& run_directory, const JournalHeader& header, IterationLimits limits,
                       bool forced);

/// Adds the results of a refit to the others. Its stage follows those of all other results that count.
void add_refit_results(Replay& replay, const ReplayedRefit& refit);

/// The iterations of `slice` among `iterations` that have no result in `known`, as ascending ranges of their indices in
/// the slice. By default, indices are iterations. Pure.
std::vector<IndexRange> iterations_left(const ResultStore& known, IndexRange iterations, const ArraySlice& slice = {});

/// The time that all attempts have trained, in seconds: of a killed one until the end of its last result. Pure.
double trained_seconds(const Replay& journals);

/// The predictions of an iteration; empty if it has none. `files`: the journals, indexed by JournaledIteration::file.
/// Throws RunError if the predictions are damaged. Local.
std::vector<float> read_predictions(const std::vector<std::string>& files, const JournaledIteration& iteration);

}  // namespace sheaf
