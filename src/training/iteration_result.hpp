// The result of an iteration.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/short_text.hpp"
#include "data/splits.hpp"
#include "models/network_state.hpp"
#include "training/result_field.hpp"

namespace sheaf {

enum class IterationStatus : std::uint8_t {
  missing = 0,  ///< no result
  finished = 1,
  diverged = 2,    ///< the training loss became infinite or NaN; a result, not an error
  failed = 3,      ///< the training failed; another attempt may succeed
  pruned = 4,      ///< not trained: its trial had lost before
  unfinished = 5,  ///< not trained to its end: the time of the search was over
  cut = 6,         ///< ended with the time of the search: a result, that of its best epoch so far
};

/// The statuses of the iterations in a journal.
inline constexpr IterationStatus known_statuses[] = {IterationStatus::finished,   IterationStatus::diverged,
                                                     IterationStatus::failed,     IterationStatus::pruned,
                                                     IterationStatus::unfinished, IterationStatus::cut};

/// Whether an iteration has a model.
constexpr bool has_model(IterationStatus status) {
  return status == IterationStatus::finished || status == IterationStatus::cut;
}

/// Whether an iteration need not be trained again.
constexpr bool is_result(IterationStatus status) {
  return has_model(status) || status == IterationStatus::diverged || status == IterationStatus::pruned;
}

/// Whether an iteration has not been trained to an end.
constexpr bool is_left_out(IterationStatus status) {
  return status == IterationStatus::pruned || status == IterationStatus::unfinished;
}

/// The name of a status in results and journals, e.g. "finished".
std::string status_name(IterationStatus status);

/// The name of an engine in the engine table (engines/engine_table.hpp), in results and in journals.
using EngineName = ShortText;

/// The engine of an iteration that failed before one was chosen.
inline constexpr const char* no_engine = "none";

/// Missing losses and scores are NaN. A new member also needs a line in `result_fields`.
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
  std::int64_t best_epoch = -1;   ///< with train.patience or train.best_weights: counts from 0; -1: none
  std::int64_t steps = 0;         ///< completed optimizer steps
  double seconds = 0;             ///< wall time: the sum of the next three
  double data_seconds = 0;        ///< drawing and splitting the iteration's own data; 0 if iterations share their data
  double validation_seconds = 0;  ///< outputs, loss and metrics of validation rows
  double wait_seconds = 0;     ///< streamed data: time its lane waited, divided by the models trained together; not in
                               ///< `seconds`
  double earlier_seconds = 0;  ///< the part of `seconds` that is from earlier jobs
  double start_seconds = 0;  ///< of the part in the last job, since the start of its training, on the rank's own clock

  /// When the training ended, on the same clock.
  double end_seconds() const { return start_seconds + seconds - earlier_seconds; }

  /// The best epoch; NaN without one.
  double best_epoch_or_nan() const {
    return best_epoch < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(best_epoch);
  }
  /// The rest of `seconds`.
  double training_seconds() const { return seconds - data_seconds - validation_seconds; }
  /// "cpu", or "cuda:N".
  std::string device() const;
};
static_assert(sizeof(IterationResult) == 136);  // a new member needs a line in result_fields

/// The members of a result except the number of its iteration. Journals, packed results and the table of iterations
/// have them in this order. Journals and packed results leave out members that have the values of a new
/// IterationResult.
inline constexpr auto result_fields = std::tuple{
    ResultField("status", &IterationResult::status),
    ResultField("final_loss", &IterationResult::final_loss),
    ResultField("validation_loss", &IterationResult::validation_loss),
    ResultField("validation_score", &IterationResult::validation_score),
    ResultField("epochs", &IterationResult::epochs),
    ResultField("best_epoch", &IterationResult::best_epoch, InTables::no),
    ResultField("best_epoch", &IterationResult::best_epoch_or_nan),
    ResultField("steps", &IterationResult::steps),
    ResultField("seconds", &IterationResult::seconds),
    ResultField("data_seconds", &IterationResult::data_seconds),
    ResultField("training_seconds", &IterationResult::training_seconds),
    ResultField("validation_seconds", &IterationResult::validation_seconds),
    ResultField("wait_seconds", &IterationResult::wait_seconds),
    ResultField("earlier_seconds", &IterationResult::earlier_seconds, InTables::no),
    ResultField("start_seconds", &IterationResult::start_seconds, InTables::no),
    ResultField("rank", &IterationResult::rank),
    ResultField("lane", &IterationResult::lane),
    ResultField("gpu", &IterationResult::gpu, InTables::no),
    ResultField("device", &IterationResult::device),
    ResultField("engine", &IterationResult::engine),
};

/// One epoch of an iteration, for studies with `run.curves`. Missing values are NaN. A new member also needs a line in
/// `epoch_fields`.
struct EpochResult {
  std::int64_t iteration = -1;
  std::int64_t epoch = 0;                                           ///< counts from 0
  double training_loss = std::numeric_limits<double>::quiet_NaN();  ///< as IterationResult::final_loss
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();
};
static_assert(std::is_trivially_copyable_v<EpochResult>);  // for checkpoints

/// The members of an epoch's result except the number of its iteration, in the order of journals and tables.
inline constexpr auto epoch_fields = std::tuple{
    ResultField("epoch", &EpochResult::epoch),
    ResultField("training_loss", &EpochResult::training_loss),
    ResultField("validation_loss", &EpochResult::validation_loss),
    ResultField("validation_score", &EpochResult::validation_score),
};

/// An iteration after its training. `predictions` are the model's outputs for the validation rows, [rows, outputs] in
/// row order (class probabilities, or values if the loss has Link::none); filled only for ensembles and with
/// `run.predictions`.
struct TrainedIteration {
  IterationResult result;  ///< the caller fills rank, lane and times, except for `seconds`
  std::vector<float> predictions;
  std::vector<EpochResult> epochs;    ///< one for each completed epoch; filled only with `run.curves`
  std::vector<double> metrics;        ///< the metrics of `run.metrics`, in their order; empty if the iteration failed
  std::vector<double> epoch_metrics;  ///< [epochs, metrics]: the same metrics after each of `epochs`
  std::vector<std::string>
      values{};  ///< of the searched keys, if the search has drawn them from results; otherwise empty
  std::vector<std::int64_t> rate_reductions{};  ///< plateau: epochs after which the learning rate was reduced
  std::string message;     ///< the error of a failed iteration, or a remark on its result; often empty
  NetworkState network;    ///< filled only if finished and `run.models` is set; not written to journals
  FeatureScaling scaling;  ///< the feature scaling for `network`; filled together with it
};

}  // namespace sheaf
