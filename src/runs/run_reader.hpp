// Reads a run directory, whether the run is finished, running or was killed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index_range.hpp"
#include "runs/directory/run_jobs.hpp"
#include "runs/journal/checkpoint_files.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/replay.hpp"
#include "runs/results/models_kind.hpp"
#include "runs/results/trial_ensemble.hpp"
#include "runs/search_stages.hpp"
#include "study/plan.hpp"
#include "study/settled_study.hpp"

namespace sheaf {

/// The state of a run, from its journals.
struct RunProgress {
  Replay journals;               ///< their results, recorded stages, and warnings
  std::vector<IndexRange> left;  ///< iterations of the plan's last stage without a result; empty: the search is done
  bool is_complete = false;      ///< whether each iteration of the stages so far has a result or has failed, and no
                                 ///< refit is missing
};

/// Everything about a run, from its directory alone.
struct RunState {
  std::string directory;
  std::string program;  ///< the version that stored the study; empty: not known
  SettledStudy study;
  Plan plan;                    ///< with the stages so far
  std::string last_stage_text;  ///< SearchStages::last_stage_text()
  RunJobs jobs;                 ///< those at work
  bool has_results = false;     ///< whether it has the result files of all its iterations
  RunProgress progress;
  std::vector<std::string> attempts;        ///< names of their directories, in order; some have no journal yet
  std::vector<CheckpointName> checkpoints;  ///< of unfinished iterations, and perhaps of some that have just finished
  std::string stage_position{};             ///< SearchStages::position_text()
  std::int64_t later_iterations = 0;        ///< SearchStages::later_iterations()
  std::optional<std::int64_t> earlier_results{};  ///< iterations in the result files of an earlier, smaller run
  std::optional<TrialEnsemble> ensemble{};  ///< of trials, if the run has results; a damaged one is left out, with
                                            ///< a warning among those of the journals
};

/// Reads a run, whether it is finished, under way or was killed. Takes no locks and changes nothing; jobs may go on
/// meanwhile. Also reads runs of other versions, if their journals have the same format. Throws UsageError if the
/// directory has no run, and RunError if the run cannot be read. Local.
RunState read_run(const std::string& directory);

/// The models with which a run predicts.
struct RunModels {
  ModelsKind kind = ModelsKind::best;
  std::vector<std::string> files;  ///< at least one; more than one: an ensemble
  std::vector<double> weights{};   ///< [files]; empty: all are equal

  bool operator==(const RunModels& other) const {
    return kind == other.kind && files == other.files && weights == other.weights;
  }
};

/// Each function reads its part of the directory; the object caches nothing. Functions throw UsageError and RunError.
/// Local. A job that trains what is left must hold the locks of the directory.
class RunReader {
 public:
  explicit RunReader(std::string directory) : directory_(std::move(directory)) {}

  /// The text of the latest study file (latest_study_path). Throws if another version of the program stored it, unless
  /// `forced`.
  std::string study_text(bool forced) const;
  /// The stored study (parse_stored_study).
  SettledStudy study(bool forced) const;

  /// The header of the first journal that has one; nothing if there is no such journal.
  std::optional<JournalHeader> identity() const;

  /// JournalHeader::study of the run's journals, if `study` is its stored study: versions compute it differently, so
  /// that of another version is the one that its journals have.
  std::string journaled_study(const Study& study) const;

  /// The identity of the data that a journal has recorded for these files, with their sizes and times
  /// (JournalHeader::files); empty if there is none.
  std::string content_of_files(const std::string& files) const;

  /// Whether the run has the result files of all its iterations (holds_results).
  bool has_results() const;
  /// Jobs that have trained a part of the run.
  std::int64_t attempts() const;

  /// Replays the journals (replay_journals). Adds the stages that follow from the results to the plan of `stages`,
  /// which has the first stage. Throws if the journals record different stages, or there are result files without a
  /// journal.
  RunProgress progress(SearchStages& stages, const JournalHeader& expected, bool forced) const;

  /// The models of a kind; nullopt if the run has none.
  std::optional<RunModels> models(ModelsKind kind) const;
  /// The ensemble of trials if the run has one, otherwise the refit, otherwise the best model; nullopt if it has none.
  std::optional<RunModels> models() const;

  /// The ensemble of trials; nullopt if the run has none.
  std::optional<TrialEnsemble> ensemble() const;

 private:
  const std::string directory_;
};

}  // namespace sheaf
