// The results of a finished run without its tables, computed from its iterations one by one. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/hdf5/table_writer.hpp"
#include "parallel/devices/rank_info.hpp"
#include "runs/results/trial_ensemble.hpp"
#include "search/leaderboard.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

struct Study;

/// The values of one iteration that the summary shows.
struct FinalValues {
  double final_loss = 0;
  double validation_loss = 0;
  double validation_score = 0;
  std::vector<double> metrics{};  ///< of `run.metrics`
  std::int64_t epochs = 0;
  std::int64_t best_epoch = -1;  ///< IterationResult::best_epoch
};

/// Mean, population standard deviation and range of the values that are finite. NaN without any.
class Spread {
 public:
  void add(double value);
  std::int64_t count() const { return count_; }
  double mean() const;
  double deviation() const;
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // sum of the squared differences from the mean (Welford)
  double minimum_ = std::numeric_limits<double>::quiet_NaN();
  double maximum_ = std::numeric_limits<double>::quiet_NaN();
};

/// The finished iterations of a study without a search, and its ensembles.
struct Spreads {
  Spread final_loss, validation_loss, validation_score, ensemble_score;
  std::vector<Spread> metrics;  ///< of `run.metrics`, over iterations
};

/// The number of iterations or ensembles up to which a summary lists each; beyond it shows their spread.
inline constexpr std::int64_t max_listed = 20;

/// An engine and the reason for its choice.
struct ChosenEngine {
  EngineName name = no_engine;        ///< no_engine: no engine can train the trial on this device
  std::optional<std::string> reason;  ///< none: it is the first engine in the table that can
};

/// The engines of a trial in lanes with a GPU and in lanes without.
struct TrialEngine {
  ChosenEngine on_gpu, on_cores;
};

/// Returns the engines of a trial.
using EngineOfTrial = std::function<TrialEngine(const Trial& trial)>;

/// The number of iterations that an engine has trained on one kind of device, and the distinct reasons for its choice
/// in the order of the iterations.
struct EngineUse {
  EngineName name;
  bool on_gpu = false;
  std::int64_t iterations = 0;
  std::vector<std::string> reasons;
};

/// A file whose rows are all held out.
struct HeldOutSummary {
  std::string file;
  std::int64_t rows = 0;
};

/// The data of a run.
struct DataSummary {
  std::optional<std::string> file;          ///< none: synthetic data
  std::optional<std::string> content_hash;  ///< of features and targets, if the file stores it
  std::int64_t rows = 0;                    ///< without those of the files of validation and test rows
  std::int64_t features = 0;
  std::int64_t named_features = 0;  ///< features whose names the file stores: all or none
  std::optional<HeldOutSummary> validation, test;
};

/// A trial that was trained again on all rows.
struct RefitResult {
  Refit refit;
  IndexRange iterations;      ///< of its members
  std::int64_t finished = 0;  ///< members
  double final_loss = 0;      ///< mean over the members; NaN if one has none
};

/// The best trial and the members of the ensemble of trials, trained again on all rows.
struct RefitResults {
  std::int64_t rows = 0;              ///< the caller sets them
  std::vector<RefitResult> trials{};  ///< at least one
  std::vector<std::string> models{};  ///< of the best trial, as RunResults::best_models; the caller sets them

  /// The refit of a trial; null if it has none.
  const RefitResult* of(std::int64_t trial) const;

  std::int64_t iterations() const;
  std::int64_t finished() const;
};

/// All results of a run except its tables of iterations and epochs.
struct RunResults {
  std::vector<TrialSummary> trials;  ///< best first
  IndexRange best_model;             ///< iterations of the best model; empty if there is none
  std::vector<EnsembleResult> ensembles;
  std::vector<FinalValues> final_values;  ///< of the first max_listed iterations, for studies without a search
  Spreads spreads;                        ///< for studies without a search
  std::int64_t iterations = 0;
  std::int64_t diverged = 0;
  std::int64_t pruned = 0;
  std::int64_t unfinished = 0;
  std::int64_t cut = 0;
  std::int64_t failed = 0;
  std::int64_t first_failed = -1;  ///< iteration
  std::string first_failure;       ///< its message
  std::optional<RefitResults> refit{};
  std::vector<EngineUse> engines;  ///< by name, GPU first
  double seconds = 0;              ///< of training, summed over the iterations
  double wait_seconds = 0;         ///< waiting for streamed data, summed over the iterations
  // The following values do not come from the iterations; the caller sets them.
  RankTable ranks;
  std::int64_t streamed_bytes = 0;   ///< of features, read by all ranks during the training; 0 if none were streamed
  std::optional<double> idle_share;  ///< of the lanes' time in the last job; none if it has not trained
  DataSummary data;
  std::string user;                      ///< who ran the last job
  std::string study_file = "study.cfg";  ///< of the run, in its directory: that of the last extension
  std::vector<std::string> best_models;  ///< paths of its files relative to the run directory; empty: none was saved
  std::optional<TestResult> test;        ///< none without test rows, and if there is no best model
  std::optional<TestResult> out_of_bag;  ///< of models(), with ensemble.bootstrap and data in memory, on cores
  std::optional<TrialEnsemble> trial_ensemble;  ///< with search.ensemble = greedy, unless it could not be selected
  std::vector<std::pair<std::string, AttributeValue>> provenance;

  std::int64_t finished() const { return with_model() - cut; }
  /// Those that finished or were cut.
  std::int64_t with_model() const { return iterations - diverged - pruned - unfinished - failed; }
  bool any_model() const { return with_model() > 0; }
  /// The iterations of the search.
  std::int64_t search_iterations() const;
  /// The refit of the best trial; null if it has none.
  const RefitResult* best_refit() const { return refit ? refit->of(trials.front().trial) : nullptr; }
  /// Whether the run predicts with the models of the refit, otherwise with best_models; and these models.
  bool predicts_with_refit() const { return refit && !refit->models.empty(); }
  const std::vector<std::string>& models() const { return predicts_with_refit() ? refit->models : best_models; }
  /// The number of trials with finished iterations or ensembles whose score is not defined.
  std::int64_t trials_with_undefined_scores() const;
};

/// Computes RunResults from the iterations of a plan. Stores a summary of each trial, 40 bytes per ensemble, and the
/// values of the iterations that the summary lists.
class ResultTally {
 public:
  /// `study` and `plan` outlive the tally. `has_models`: as for Leaderboard.
  ResultTally(const Study& study, const Plan& plan, EngineOfTrial engine_of_trial,
              Leaderboard::HasModels has_models = {});

  /// Adds the next iteration of the plan, in order; those of a trial in a stage may all be left out. `ensemble`: as for
  /// Leaderboard::add.
  void add(const TrainedIteration& iteration, const EnsembleResult* ensemble);

  /// Called once, after the last iteration. At least one was added.
  RunResults finish();

 private:
  void add_values(const TrainedIteration& iteration, const EnsembleResult* ensemble);
  void add_refit(const IterationResult& result);
  void add_engine(const IterationResult& result);

  const Study& study_;
  const Plan& plan_;
  const EngineOfTrial engine_of_trial_;
  Leaderboard leaderboard_;
  std::int64_t trial_ = -1;  // trial of the last iteration
  TrialEngine engine_;       // of trial_
  RunResults results_;
};

}  // namespace sheaf
