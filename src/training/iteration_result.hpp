// What is known of a finished iteration.
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
  diverged = 2,  ///< the training loss stopped being finite; a result, not an error
  failed = 3,    ///< it could not be trained; another run may succeed
};

/// As results and journals write it: "finished".
std::string status_name(IterationStatus status);

/// Of an engine, as in the engine table (engines/engine_table.hpp), in results and in journals.
using EngineName = ShortText;

/// The engine of an iteration that failed before one was chosen.
inline constexpr const char* no_engine = "none";

/// Travels between ranks as bytes. Losses and scores are NaN where there is none.
struct IterationResult {
  std::int64_t iteration = -1;
  IterationStatus status = IterationStatus::missing;
  std::int32_t rank = -1;
  std::int32_t lane = -1;
  std::int32_t gpu = -1;  ///< CUDA device number on its node; -1: CPU
  EngineName engine = no_engine;
  double final_loss = std::numeric_limits<double>::quiet_NaN();  ///< training loss of the last epoch: mean over its
                                                                 ///< (weighted) rows, their sum for
                                                                 ///< `train.reduction = sum`
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();  ///< the metric of the study
  std::int64_t epochs = 0;                                             ///< epochs done
  std::int64_t steps = 0;                                              ///< optimizer steps done
  double seconds = 0;        ///< wall time of the training with its validation
  double start_seconds = 0;  ///< since the run started, on the rank's own clock
  double wait_seconds = 0;   ///< for streamed data; its share of what its lane has waited
};
static_assert(std::is_trivially_copyable_v<IterationResult>);

/// One epoch of an iteration, for studies that ask for curves. Travels between ranks as bytes. NaN where there is none.
struct EpochResult {
  std::int64_t iteration = -1;
  std::int64_t epoch = 0;                                           ///< counts from 0
  double training_loss = std::numeric_limits<double>::quiet_NaN();  ///< as IterationResult::final_loss
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();
};
static_assert(std::is_trivially_copyable_v<EpochResult>);

/// A finished iteration. `predictions` are the model's outputs for the validation rows, [rows, outputs] in row order
/// (class probabilities for cross_entropy and bce classification, values for mse); filled only for ensembles.
struct TrainedIteration {
  IterationResult result;  ///< rank, lane and times are the caller's to fill, but for `seconds`
  std::vector<float> predictions;
  std::vector<EpochResult> epochs;  ///< of each epoch done; filled only for `run.curves`
  std::string message;              ///< why it failed; empty unless it did
  NetworkState network;             ///< only if finished, for `run.models`; no journal has it
  FeatureScaling scaling;           ///< of the features that `network` expects; filled with it
};

}  // namespace sheaf
