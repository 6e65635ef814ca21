// The training of one iteration: its network, rows, training loop, trainer, checkpoints and result. A driver chooses
// the rows of each step: memory_training.hpp, streamed_training.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "core/index_range.hpp"
#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "models/network_layout.hpp"
#include "study/plan.hpp"
#include "study/validation_epochs.hpp"
#include "training/iteration_result.hpp"
#include "training/loss_log.hpp"
#include "training/metrics/score.hpp"
#include "training/trainer.hpp"
#include "training/training_checkpoint.hpp"
#include "training/training_context.hpp"
#include "training/training_loop.hpp"

namespace sheaf {

/// What a driver trains an iteration on. Referenced objects outlive the training.
struct IterationRows {
  const DataSet& data;  ///< without features if they are streamed
  const Split& split;
  const FeatureScaling& scaling;
  ValidationEpochs validation;  ///< empty if there are no validation rows
  std::int64_t windows = 0;     ///< per pass over streamed data; 0 for data in memory
};

/// The rows of a split that are evaluated but not trained on.
enum class HeldOutRows { validation, stopping };

/// A driver calls start() and restore(), then, until the loop ends, trains rows or evaluates the rows that are held out
/// as loop().next() requires, and then calls finish(). Not shared between threads.
class IterationTraining {
 public:
  /// `stage`: that of the iteration. `trainer` must not be in the middle of another training. All references except
  /// `stage` outlive the object.
  IterationTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                    const IterationRows& rows, Trainer& trainer);

  const Iteration& iteration() const { return training_.iteration; }
  /// The training rows, and how many of them each optimizer step has.
  const RowSet& rows() const { return rows_; }
  std::int64_t batch_size() const { return batch_size_; }
  const TrainingLoop& loop() const { return loop_; }

  /// Begins the training. `repeats_one_batch`: see TrainingTask.
  void start(bool repeats_one_batch = false);
  /// Continues from the last checkpoint, if there is one. `get`: reads what `put` added in save(). `restarted` is
  /// called when a checkpoint could not be used and the training has started again.
  void restore(
      const std::function<void(ByteReader&)>& get = [](ByteReader&) {}, const std::function<void()>& restarted = [] {});
  /// Saves a checkpoint if there were optimizer steps since the last one. `seconds`: of training so far, without
  /// earlier_seconds(). `put` adds the driver's state. Requires checkpoints. Throws DeviceError.
  void save(
      double seconds, const std::function<void(ByteWriter&)>& put = [](ByteWriter&) {});
  /// Whether the training pauses here for a later stage and has no checkpoint of this state yet.
  bool must_save() const {
    return context_.checkpoints != nullptr && loop_.is_paused() && loop_.steps() != saved_steps_;
  }

  /// Whether the training is to be cut now, or after the validation that comes next.
  bool is_cut_due() const {
    return context_.is_cut && loop_.may_be_cut() && context_.is_cut(training_.iteration.number, loop_.epochs());
  }
  /// Cuts it, unless a validation comes next.
  void cut_if_due() {
    if (loop_.next() == TrainingLoop::Next::train && is_cut_due()) loop_.cut();
  }

  /// The training time before the checkpoint that was restored.
  double earlier_seconds() const { return earlier_seconds_; }
  /// The optimizer steps of this object, without those before the checkpoint.
  std::int64_t own_steps() const { return loop_.steps() - first_step_; }

  /// How many batches to train in one call, at most `batches`: to the next line of the log.
  std::int64_t batches_to_line(std::int64_t batches) const { return lines_.batches_to_line(loop_, batches); }
  /// Trains the next `count` rows of the epoch: whole batches, except the last one of the epoch. `rows`: indices in the
  /// data that the trainer reads.
  void train(const std::int64_t* rows, std::int64_t count);
  /// The same for a driver that lets the trainer train these rows itself: what it passes to the trainer, and its report
  /// after that, with the epoch's loss sum including these rows (TrainingLoop::loss_sum before them).
  TrainingRows next_rows(const std::int64_t* rows, std::int64_t count) const { return {rows, count, loop_.steps()}; }
  void trained(const TrainingRows& rows, double loss_sum);

  /// A validation: begin_validation(), evaluate() until all validation rows and all stopping rows of the split were
  /// evaluated, each in ascending order, end_validation(). If `should_stop` ends evaluate(), it returns false, and the
  /// validation must begin again.
  void begin_validation();
  bool evaluate(HeldOutRows kind, const std::int64_t* rows, std::int64_t count,
                const std::function<bool()>& should_stop);
  /// The same for a driver that lets the trainer evaluate the rows itself: where it appends their outputs, and its
  /// report of the sum of their losses.
  std::vector<float>& outputs(HeldOutRows kind) { return evaluated(kind).outputs; }
  void add_losses(HeldOutRows kind, double loss_sum) { evaluated(kind).loss_sum += loss_sum; }
  void end_validation();
  /// Adds the time of a validation or a part of it.
  void add_validation_seconds(double seconds) { loop_.add_validation_seconds(seconds); }

  /// The result after the last step. `seconds`: TrainedIteration::result.seconds.
  TrainedIteration finish(double seconds);

 private:
  struct Evaluated {
    double loss_sum = 0;         // of the losses of the rows
    std::vector<float> outputs;  // for the rows
  };

  TrainingLoop new_loop() const;
  Evaluated& evaluated(HeldOutRows kind) { return kind == HeldOutRows::validation ? validation_ : stopping_; }
  RowPredictions predictions(const Evaluated& evaluated, const RowSet& rows) const;
  bool keeps_outputs() const {
    return context_.study->ensemble.members > 1 || context_.study.predictions() == PredictionsKept::held_out;
  }
  bool keeps_network() const { return context_.study.models() != ModelsSaved::none; }

  const TrainingContext& context_;
  const Trial& trial_;
  const CheckpointedTraining training_;
  const std::optional<Refit> refit_;
  const IterationRows source_;
  const DataShape shape_;
  const std::vector<Layer> layers_;
  const std::vector<float> weights_;
  const FeatureScaling scaling_;  // scaling_for() the layers
  const RowSet rows_;
  const std::int64_t batch_size_;
  Trainer& trainer_;
  bool repeats_one_batch_ = false;
  TrainingLoop loop_;
  LossLines lines_;
  double earlier_seconds_ = 0;
  std::int64_t first_step_ = 0;   // steps before the checkpoint that was restored
  std::int64_t saved_steps_ = 0;  // steps at the last checkpoint

  // Of the current validation.
  Evaluated validation_, stopping_;

  // Of the validation whose values are results (TrainingLoop::validated), as far as finish() needs them.
  std::vector<float> kept_outputs_;
  NetworkState best_network_;  // empty unless the training keeps the best epoch
};

}  // namespace sheaf
