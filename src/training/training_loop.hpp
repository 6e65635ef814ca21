// Where the training of one iteration is, and what comes next: the one loop behind every engine, on data in memory and
// on streamed data. Pure: it knows no rows, no clock and no files. A driver asks next(), lets a trainer do that, and
// reports what came of it; a stopping rule or a choice of the best epoch belongs into validated().
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.hpp"
#include "study/study.hpp"
#include "study/validation_epochs.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

class TrainingLoop {
 public:
  enum class Next { train, validate, end };

  /// For `rows` rows that train, at least one. `keeps_epochs`: results() has one entry for each epoch.
  TrainingLoop(const TrainOptions& train, std::int64_t rows, ValidationEpochs validation, bool keeps_epochs);

  /// What the training needs now. It ends after its epochs, or when the loss of an epoch is not finite.
  Next next() const;

  /// Epochs done, and batches done of the next one.
  std::int64_t epochs() const { return state_.epochs; }
  std::int64_t batches() const { return state_.batches; }
  /// Batches that the epoch still has.
  std::int64_t batches_left() const { return epoch_batches_ - state_.batches; }
  /// An epoch is a single batch.
  bool has_one_batch() const { return epoch_batches_ == 1; }

  /// Optimizer steps done, and those of all epochs that are left.
  std::int64_t steps() const { return state_.steps; }
  std::int64_t steps_left() const { return train_.epochs * epoch_batches_ - state_.steps; }

  /// The sum of the losses of the epoch's batches so far (Trainer::train).
  double loss_sum() const { return state_.loss_sum; }

  /// The next `batches` of the epoch are trained, at most batches_left(), and its sum of losses is `loss_sum` now.
  /// After the last batch the epoch is done.
  void trained(std::int64_t batches, double loss_sum);

  /// The validation of the last epoch: the sum of the losses of `rows` rows (Trainer::evaluate), and the score.
  void validated(double loss_sum, std::int64_t rows, double score);

  /// Enters what the training came to: status, losses, score, epochs and steps, and `epochs` if they are kept.
  void enter(TrainedIteration& trained) const;

  void save(ByteWriter& state) const;
  /// Throws RunError or std::out_of_range when it is not a state of such a training.
  void restore(ByteReader& state);

 private:
  struct State {
    std::int64_t epochs = 0, batches = 0, steps = 0;
    double loss_sum = 0;
    double training_loss, validation_loss, validation_score;
    bool awaits_validation = false;
    bool diverged = false;

    State();
  };

  double reduced(double loss_sum, std::int64_t rows) const;
  void end_epoch();

  TrainOptions train_;
  std::int64_t rows_, epoch_batches_;
  ValidationEpochs validation_;
  bool keeps_epochs_;
  State state_;
  std::vector<EpochResult> epochs_;  // without their iteration
};

}  // namespace sheaf
