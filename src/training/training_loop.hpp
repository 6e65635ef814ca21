// The training loop of one iteration, the same for all engines, for data in memory and streamed data. It is a state
// machine: a driver calls next(), lets a trainer do that step, and reports the outcome. It is pure and has no access to
// rows, clock or files.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "core/index_range.hpp"
#include "study/stage.hpp"
#include "study/train_options.hpp"
#include "study/validation_epochs.hpp"
#include "training/best_epoch.hpp"
#include "training/iteration_result.hpp"
#include "training/learning_rate.hpp"

namespace sheaf {

/// Whether trainings may be cut: they keep their best epoch, and their learning rates do not depend on the number of
/// epochs. Pure.
bool can_be_cut(const TrainOptions& train);

class TrainingLoop {
 public:
  enum class Next { train, validate, end };

  /// For `rows` training rows, at least one. `has_curve`: write_results() adds one EpochResult for each epoch.
  /// `metric_count`: what each validation computes besides the score. `epochs`: those to train now, after those that a
  /// checkpoint has; nullopt: all. `refit`: the loop ends after its steps instead, perhaps within an epoch, and has its
  /// learning rates.
  TrainingLoop(const TrainOptions& train, std::int64_t rows, ValidationEpochs validation, bool has_curve,
               std::size_t metric_count = 0, std::optional<IndexRange> epochs = std::nullopt,
               const std::optional<Refit>& refit = std::nullopt);

  /// The next step. The loop ends after all of its epochs or steps, by early stopping, if the loss of an epoch is not
  /// finite, or when it is cut.
  Next next() const;

  /// Whether the training may end here, or after the validation that comes next, as if early stopping had ended it:
  /// can_be_cut(), it has a best epoch, and it is not a refit.
  bool may_be_cut() const;
  /// Ends the training so after its last epoch, without the batches of the current one. Requires may_be_cut() and a
  /// loop that does not validate next.
  void cut();

  /// Completed epochs, and completed batches of the current epoch.
  std::int64_t epochs() const { return state_.epochs; }
  std::int64_t batches() const { return state_.batches; }
  /// Remaining batches of the current epoch, or to the end of the loop if that comes first.
  std::int64_t batches_left() const { return std::min(epoch_batches_ - state_.batches, steps_left()); }
  /// Whether an epoch is a single batch.
  bool has_one_batch() const { return epoch_batches_ == 1; }

  /// Whether the epochs are trained and more epochs follow, in a later stage. A checkpoint of this state, before the
  /// last validation, continues the training there.
  bool is_paused() const { return is_over() && pauses_ && !state_.diverged; }

  /// The end of the epochs to train now, without early stopping. A refit may end within the last of them.
  std::int64_t end_epoch() const { return range_.end; }

  /// Completed optimizer steps, and remaining ones.
  std::int64_t steps() const { return state_.steps; }
  /// The steps of earlier stages.
  std::int64_t earlier_steps() const { return range_.begin * epoch_batches_; }
  std::int64_t steps_left() const { return end_step_ - state_.steps; }

  /// The loss sum of the current epoch so far (Trainer::train).
  double loss_sum() const { return state_.loss_sum; }

  /// The learning rates of the steps.
  const LearningRate& rate() const { return rate_; }

  /// Reports that the next `batches` batches of the epoch, at most batches_left(), have been trained. `loss_sum` is the
  /// epoch's loss sum including them. The last batch completes the epoch.
  void trained(std::int64_t batches, double loss_sum);

  /// What decides which epoch is the best.
  struct Monitored {
    std::optional<double> metric;  ///< train.stop_on, if it is a metric
    std::optional<double> loss;    ///< of the stopping rows; nullopt: the validation loss
  };
  /// Reports the validation that followed the most recent epoch: the loss, the score, followed by the values of the
  /// metrics, and what decides. Returns whether the results and the model of the training are now those of this epoch.
  bool validated(double loss, const std::vector<double>& scores, const Monitored& monitored);
  /// Whether the results and the model are those of the best epoch, and whether training went on after it.
  bool has_best() const { return best_.keeps_best() && best_.epoch(); }
  bool has_earlier_best() const { return has_best() && (*best_.epoch() + 1 != state_.epochs || state_.batches > 0); }
  /// Adds the time of a validation or a part of it.
  void add_validation_seconds(double seconds) { state_.validation_seconds += seconds; }
  /// Call it after restore() if an earlier stage saved the state: that stage has the validation that follows it, and
  /// its time. Learning rates that depend on the validation loss need it again.
  void begin_stage();

  /// Writes the outcome to `trained`: status, losses, score, metrics, epochs, steps and validation_seconds, and the
  /// curve of its epochs if there is one.
  void write_results(TrainedIteration& trained) const;

  void save(ByteWriter& state) const;
  /// Throws RunError or std::out_of_range if the state does not match this training.
  void restore(ByteReader& state);

 private:
  struct State {
    std::int64_t epochs = 0, batches = 0, steps = 0;
    double loss_sum = 0;
    double training_loss = std::numeric_limits<double>::quiet_NaN();
    double validation_seconds = 0;
    bool awaits_validation = false;
    bool diverged = false;
  };

  // What a validation found.
  struct Validation {
    double loss = std::numeric_limits<double>::quiet_NaN();
    double score = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> metrics;  // empty before the validation
  };

  void end_epoch();
  // Whether no more epochs are trained, apart from a validation or a divergence.
  bool is_over() const { return state_.steps == end_step_ || best_.must_stop(); }

  TrainOptions train_;
  std::int64_t rows_, epoch_batches_;
  IndexRange range_;  // of epochs
  std::int64_t end_step_;
  bool pauses_;  // after the last step
  bool is_refit_;
  bool is_cut_ = false;
  ValidationEpochs validation_;
  bool has_curve_;
  std::size_t metric_count_;
  LearningRate rate_;
  BestEpoch best_;
  State state_;
  Validation validated_;               // of the best epoch if that is kept, otherwise the last one
  std::vector<EpochResult> epochs_;    // their iteration number is not set
  std::vector<double> epoch_metrics_;  // TrainedIteration::epoch_metrics
};

}  // namespace sheaf
