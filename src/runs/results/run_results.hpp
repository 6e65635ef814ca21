// The results of a finished run apart from its tables, made from its iterations one by one. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallel/devices/rank_info.hpp"
#include "search/leaderboard.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// The values of one iteration that the summary shows.
struct FinalValues {
  double final_loss = 0;
  double validation_loss = 0;
  double validation_score = 0;
};

/// An engine, and why it was chosen; none: it is the first that could be.
struct ChosenEngine {
  EngineName name = no_engine;  ///< no_engine: none can train the trial there
  std::optional<std::string> reason;
};

/// The engine of a trial by the device of the lane that trains it.
struct TrialEngine {
  ChosenEngine on_gpu, on_cores;
};

/// The engine of a trial, by its number.
using EngineOfTrial = std::function<TrialEngine(std::int64_t trial)>;

/// The iterations that an engine has trained on one kind of device, with the reasons why, each once, in the order of
/// the iterations.
struct EngineUse {
  EngineName name;
  bool on_gpu = false;
  std::int64_t iterations = 0;
  std::vector<std::string> reasons;
};

/// All results of a run apart from its tables of iterations and epochs.
struct RunResults {
  std::vector<TrialSummary> trials;  ///< best first
  IndexRange best_model;             ///< of the best trial; empty: it has none
  std::vector<EnsembleResult> ensembles;
  std::vector<FinalValues> final_values;  ///< of each iteration; only of studies without a search
  std::int64_t iterations = 0;
  std::int64_t diverged = 0;
  std::int64_t failed = 0;
  std::int64_t first_failed = -1;  ///< iteration
  std::string first_failure;       ///< its message
  std::vector<EngineUse> engines;  ///< by name, a GPU first
  double seconds = 0;              ///< of training, summed
  double wait_seconds = 0;         ///< of them for streamed data
  // Not known from the iterations.
  std::vector<RankInfo> ranks;      ///< in rank order
  std::int64_t streamed_bytes = 0;  ///< of features, read by all ranks while they trained; 0: none were streamed
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// Makes RunResults from the iterations of a plan. Memory: a summary of each trial, 40 bytes for each ensemble, and
/// the values that the summary prints.
class ResultTally {
 public:
  /// `study` and `plan` outlive the tally.
  ResultTally(const Study& study, const Plan& plan, EngineOfTrial engine_of_trial);

  /// The plan's iterations in order; `ensemble` as for Leaderboard::add.
  void add(const TrainedIteration& iteration, const EnsembleResult* ensemble);

  /// After the last iteration. The last call.
  RunResults finish();

 private:
  void add_engine(const IterationResult& result);

  const Study& study_;
  const Plan& plan_;
  const EngineOfTrial engine_of_trial_;
  Leaderboard leaderboard_;
  std::int64_t trial_ = -1;  // of the last iteration
  TrialEngine engine_;       // its engine
  RunResults results_;
};

}  // namespace sheaf
