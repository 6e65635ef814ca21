// Trains iterations on data in memory, with any engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/clock.hpp"
#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "study/plan.hpp"
#include "training/epoch_rows.hpp"
#include "training/iteration_result.hpp"
#include "training/iteration_training.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The data of an iteration: the study's data set, or synthetic data for this iteration, its split, and the scaling of
/// its trial.
struct IterationInput {
  DataSet data;
  std::shared_ptr<const Split> split;
  std::shared_ptr<const FeatureScaling> scaling;
  double seconds = 0;  ///< of drawing and splitting own data; 0: the data are those of the study
};

/// Provides the input of each iteration. Not shared between threads.
class IterationInputs {
 public:
  explicit IterationInputs(const TrainingContext& context);
  /// `trial`: that of the iteration.
  IterationInput of(const Iteration& iteration, const Trial& trial) const;

 private:
  TrainingContext context_;
  std::shared_ptr<const Split> whole_;  // the common split if synthetic data are not divided
  std::shared_ptr<const FeatureScaling> no_scaling_ = std::make_shared<FeatureScaling>();
};

/// One iteration in training. A driver trains pieces of it and validates in turn until it is over, and then calls
/// finish(). It measures the time of what it does, also in its share of a trainer that several models use. Not shared
/// between threads.
class MemoryTraining {
 public:
  /// Begins the training, or continues it from its last checkpoint. `trainer` must not be in the middle of another
  /// training. All references except `stage` outlive the object.
  MemoryTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                 const IterationInput& input, Trainer& trainer);

  bool is_over() const { return training_.loop().next() == TrainingLoop::Next::end; }
  bool validates_next() const { return training_.loop().next() == TrainingLoop::Next::validate; }
  std::int64_t steps_left() const { return training_.loop().steps_left(); }

  /// How many batches can be trained at once, at most `most`: to the end of the epoch, or to the next line of the log.
  std::int64_t batches(std::int64_t most) const;
  /// The rows of the next batches, batches(most) of them; valid until the next call. loss_sum() and rate() are what the
  /// trainer needs besides.
  TrainingRows next_rows(std::int64_t batches);
  double loss_sum() const { return training_.loop().loss_sum(); }
  const LearningRate& rate() const { return training_.loop().rate(); }
  /// Reports that the trainer has trained them, with the loss sum after that, in `seconds`.
  void trained(const TrainingRows& rows, double loss_sum, double seconds);

  /// Validates. Once `stop_requested` returns true, a validation that takes more than `most_seconds` is interrupted, if
  /// there are checkpoints and the training is not cut after it: returns false, and the training needs the whole
  /// validation again.
  bool validate(const std::function<bool()>& stop_requested, double most_seconds);

  /// Rows that a validation evaluates, and where the trainer appends their outputs (Trainer::evaluate).
  struct HeldOut {
    const std::vector<std::int64_t>& rows;
    std::vector<float>& outputs;
  };
  /// validate() for a driver that lets the trainer evaluate the rows itself: the validation rows and the stopping rows,
  /// valid until the end of the training; and its report of the sums of their losses, after which the training goes on.
  /// A validation that was interrupted begins again.
  std::array<HeldOut, 2> begin_validation();
  void end_validation(const std::array<double, 2>& loss_sums);
  /// Adds the time of a validation or a part of it.
  void add_validation_seconds(double seconds);

  /// Whether the training is to be cut now, or after the validation that comes next; cuts it if that is now.
  bool is_cut_due() const { return training_.is_cut_due(); }
  void cut_if_due() { training_.cut_if_due(); }

  /// Whether there are checkpoints; save() and save_if_due() save one.
  bool saves() const { return context_.checkpoints != nullptr; }
  void save();
  void save_if_due();

  /// Of training in this object so far, and an estimate of the rest.
  double seconds() const { return seconds_; }
  double seconds_left() const;

  /// The result. Its seconds are those before the checkpoint that was restored.
  TrainedIteration finish();

 private:
  const TrainingContext& context_;
  const IterationInput& input_;
  IterationTraining training_;
  EpochRows order_;
  std::vector<std::int64_t> validation_rows_, stopping_rows_;  // filled by the first validation
  double seconds_ = 0;
  Clock::time_point saved_at_ = Clock::now();
};

/// Trains and validates an iteration of the plan on its input. `trial`: that of the iteration. Training ends
/// early if the loss becomes infinite or NaN. It starts from the last checkpoint, if there is one, and saves
/// checkpoints between batches and before a validation. With checkpoints, once `stop_requested` returns true, the
/// iteration is finished only if this takes at most `max_seconds_after_stop` (piece_size.hpp); otherwise a checkpoint
/// is saved, and the result has the status `missing`. Without checkpoints it is always finished.
TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested);

/// Trains an iteration of `stage`, a later one, ahead. Ends before the last validation, and as soon as `stop_requested`
/// returns true, and saves a checkpoint there. train_iteration() continues from it when the stage has begun, with the
/// same result. Requires checkpoints.
void train_ahead(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                 const IterationInput& input, Trainer& trainer, const std::function<bool()>& stop_requested);

}  // namespace sheaf
