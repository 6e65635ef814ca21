// The result of an iteration.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/short_text.hpp"
#include "data/splits.hpp"
#include "models/network_state.hpp"

namespace sheaf {

enum class IterationStatus : std::int32_t {
  missing = 0,  ///< no result
  finished = 1,
  diverged = 2,  ///< the training loss became infinite or NaN; a result, not an error
  failed = 3,    ///< the training failed; another attempt may succeed
};

/// The name of a status in results and journals, e.g. "finished".
std::string status_name(IterationStatus status);

/// The name of an engine in the engine table (engines/engine_table.hpp), in results and in journals.
using EngineName = ShortText;

/// The engine of an iteration that failed before one was chosen.
inline constexpr const char* no_engine = "none";

/// Sent between ranks as bytes. Missing losses and scores are NaN.
struct IterationResult {
  std::int64_t iteration = -1;
  IterationStatus status = IterationStatus::missing;
  std::int32_t rank = -1;
  std::int32_t lane = -1;
  std::int32_t gpu = -1;  ///< CUDA device number on its node; -1: CPU
  EngineName engine = no_engine;
  double final_loss = std::numeric_limits<double>::quiet_NaN();  ///< training loss of the last epoch: the mean over its
                                                                 ///< (weighted) rows
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();  ///< value of the study's metric
  std::int64_t epochs = 0;                                             ///< completed epochs
  std::int64_t steps = 0;                                              ///< completed optimizer steps
  double seconds = 0;                                                  ///< wall time of training and validation
  double start_seconds = 0;  ///< time since the start of the run, on the rank's own clock
  double wait_seconds = 0;   ///< streamed data: time its lane waited, divided by the models trained together
};
static_assert(std::is_trivially_copyable_v<IterationResult>);

/// One epoch of an iteration, for studies with `run.curves`. Sent between ranks as bytes. Missing values are NaN.
struct EpochResult {
  std::int64_t iteration = -1;
  std::int64_t epoch = 0;                                           ///< counts from 0
  double training_loss = std::numeric_limits<double>::quiet_NaN();  ///< as IterationResult::final_loss
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();
};
static_assert(std::is_trivially_copyable_v<EpochResult>);

/// An iteration after its training. `predictions` are the model's outputs for the validation rows, [rows, outputs] in
/// row order (class probabilities for cross_entropy and bce classification, values for mse); filled only for ensembles.
struct TrainedIteration {
  IterationResult result;  ///< the caller fills rank, lane and times, except for `seconds`
  std::vector<float> predictions;
  std::vector<EpochResult> epochs;  ///< one for each completed epoch; filled only with `run.curves`
  std::string message;              ///< the error message; empty unless the iteration failed
  double earlier_seconds = 0;       ///< the part of `seconds` that is from earlier jobs; not written to journals
  NetworkState network;             ///< filled only if finished and `run.models` is set; not written to journals
  FeatureScaling scaling;           ///< the feature scaling for `network`; filled together with it
};

}  // namespace sheaf
