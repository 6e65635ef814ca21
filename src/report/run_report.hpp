// The values that a report shows of a run: what its state and its result files contain, brought together. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/held_out.hpp"
#include "report/run_cost.hpp"
#include "report/timeline.hpp"
#include "runs/results/feature_importance.hpp"
#include "runs/results/run_results.hpp"
#include "runs/run_reader.hpp"
#include "runs/run_status.hpp"
#include "search/iteration_value.hpp"
#include "study/search_options.hpp"

namespace sheaf {

/// A rank of the last job.
struct StoredRank {
  std::string host;
  std::string device;
  std::int64_t cores = 0;
  std::int64_t lanes = 0;
};

/// What the result files of a run have in addition to its journals. All of it may be missing.
struct StoredResults {
  std::vector<std::pair<std::string, std::string>> origin;  ///< names and texts: program, user, times, data, ...
  std::vector<StoredRank> ranks;
  std::optional<double> idle_share;  ///< of the lanes' time in the last job
  std::vector<EnsembleResult> ensembles;
  std::vector<std::pair<std::string, std::string>> tests;  ///< models and their values on the test rows
  std::optional<std::string> out_of_bag;                   ///< values of bagging on the rows out of the samples
  std::vector<ModelsKind> models;                          ///< with which the run can predict; the first is the default
  std::optional<std::int64_t> refit_rows;                  ///< of a refit
  std::vector<std::string> output_names;                   ///< of classes, labels, targets or quantiles
  std::optional<FeatureImportances> importances;           ///< of the features, from importance.json
};

/// What a search ranks: a trial, or without a search an iteration. Only those with a finite value; no refits.
struct RankedObject {
  std::int64_t number = 0;
  double value = 0;  ///< by which it is ranked
  double end = 0;    ///< of its last training, in seconds on the axis of the timeline
};

/// A searched key and what it decides.
struct ReportedKey {
  SearchedKey searched;                            ///< shown_key()
  double importance = 0;                           ///< key_importances(); 0 with fewer than two trials
  std::optional<double> share;                     ///< variance_shares(), if all combinations of the lists were trained
  std::vector<std::optional<std::string>> values;  ///< in each of `objects`; nothing: it has no effect there
};

/// The mean losses of the trainings of a trial, or of an iteration, after each epoch.
struct LearningCurve {
  std::int64_t number = 0;  ///< of the trial or the iteration
  std::int64_t rank = 0;    ///< 1 is best
  std::vector<double> epochs;
  std::vector<double> training_loss, validation_loss;  ///< NaN: not known
};

struct RunReport {
  RunState run;
  RunStatus status;
  StoredResults stored;
  ProgressValue value;                     ///< by which trials, or iterations, are ranked
  std::optional<RunResults> results;       ///< of the complete trials, and of the refit if it is complete; none without
                                           ///< a trial
  std::vector<RankedObject> objects{};     ///< in the order of their ends
  std::vector<std::int64_t> best_order{};  ///< indices of `objects`, best first
  std::vector<ReportedKey> keys{};         ///< in the order of the study
  Timeline timeline{};
  RunCost cost{};
  std::vector<LearningCurve> curves{};    ///< best first; not of all trials if there are many
  std::optional<HeldOutRows> held_out{};  ///< of the best trial or model; the caller sets it
  std::string no_held_out{};              ///< otherwise: why there are none, a sentence

  bool is_search() const { return run.study->search.searches(); }
  /// "trial" or "iteration".
  const char* object_name() const { return is_search() ? "trial" : "iteration"; }
  /// Indices of `keys`, the most important first.
  std::vector<std::size_t> importance_order() const;
  const RankedObject& best() const { return objects[static_cast<std::size_t>(best_order.front())]; }
  /// The value of each fold and repeat of a trial, with ensembles of each ensemble if they are scored; empty if some
  /// are missing.
  std::vector<double> fold_values(const TrialSummary& trial) const;
  /// The best trial as a study without a search that trains it alone; nothing without a ranked trial.
  std::optional<Study> best_study() const;
  /// The command that trains the best trial alone, or repeats a run without a search. For synthetic data, which have no
  /// file to name, the text of a study file.
  std::string repeat_text() const;
  /// The commands that predict with each kind of models of the run, the default first; empty if there is no choice, and
  /// before the run is complete.
  std::vector<std::string> predict_commands() const;
};

/// `run`: read_run().
RunReport report_of(RunState run, StoredResults stored);

/// A value as the summary shows it: four decimals for scores, five significant digits for losses.
std::string value_text_of(const ProgressValue& value, double number);

/// The value by which a trial is ranked; NaN without one.
double value_of(const ProgressValue& value, const TrialSummary& trial);

}  // namespace sheaf
