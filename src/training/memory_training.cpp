// SPDX-License-Identifier: MIT
#include "training/memory_training.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/clock.hpp"
#include "data/synthetic.hpp"
#include "study/validation_epochs.hpp"
#include "training/epoch_rows.hpp"
#include "training/iteration_training.hpp"
#include "training/piece_size.hpp"

namespace sheaf {
namespace {

// Whether the split of synthetic data depends on their values: rows are chosen by label, or targets are scaled.
bool depends_on_data(const Study& study) {
  return validation_epochs(study).any() || study.data.normalize_targets == NormalizeTargets::standard;
}

// Trains an iteration in pieces, between which the job can stop.
class MemoryTraining {
 public:
  /// `max_seconds_after_stop`: what takes longer after a stop is interrupted.
  MemoryTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                 const IterationInput& input, Trainer& trainer, double max_seconds_after_stop)
      : context_(context),
        input_(input),
        max_seconds_after_stop_(max_seconds_after_stop),
        training_(context, iteration, trial, stage,
                  {input.data, *input.split, *input.scaling,
                   input.split->validation_rows.empty() ? ValidationEpochs{} : validation_epochs(context.study)},
                  trainer),
        order_(training_.rows(), trial.train, trial.model, iteration.seed) {
    training_.start(order_.repeat_one_batch());
    training_.restore();
  }

  TrainedIteration run(const std::function<bool()>& stop_requested) {
    const TrainingLoop& loop = training_.loop();
    while (loop.next() != TrainingLoop::Next::end) {
      bool leaving = !step(stop_requested);
      training_.cut_if_due();
      if (context_.checkpoints == nullptr || loop.next() == TrainingLoop::Next::end || training_.is_cut_due()) continue;
      leaving = leaving || (stop_requested() && seconds_left() > max_seconds_after_stop_);
      if (!leaving) continue;
      save();
      return TrainedIteration{};
    }
    TrainedIteration trained = training_.finish(training_.earlier_seconds());
    trained.result.data_seconds = input_.seconds;
    return trained;
  }

  // Without the last validation, which belongs to the result.
  void run_ahead(const std::function<bool()>& stop_requested) {
    const TrainingLoop& loop = training_.loop();
    while (loop.next() != TrainingLoop::Next::end && loop.steps_left() > 0 && !stop_requested())
      if (!step(stop_requested)) break;
    save();
  }

 private:
  // Trains a piece or validates, and saves a checkpoint if one is due. Returns false if the job is stopping and the
  // validation was interrupted.
  bool step(const std::function<bool()>& stop_requested) {
    bool is_complete = true;
    if (training_.loop().next() == TrainingLoop::Next::validate)
      is_complete = validate(stop_requested);
    else
      train_piece();
    if (context_.checkpoints == nullptr) return is_complete;
    const bool interval_is_over = training_.loop().next() != TrainingLoop::Next::end &&
                                  seconds_since(saved_at_) >= context_.checkpoints->interval_seconds;
    if (interval_is_over || training_.must_save()) save();
    return is_complete;
  }

  void train_piece() {
    const TrainingLoop& loop = training_.loop();
    if (loop.has_one_batch()) return train_batches(1);
    const auto start = Clock::now();
    const std::int64_t batches = training_.batches_to_line(std::min(piece_.batches(), loop.batches_left()));
    train_batches(batches);
    piece_.update(batches, seconds_since(start));
  }

  void train_batches(std::int64_t batches) {
    const std::int64_t first = training_.loop().batches() * training_.batch_size();
    const std::int64_t count = std::min(batches * training_.batch_size(), training_.rows().count() - first);
    training_.train(order_.of(training_.loop().epochs()) + first, count);
  }

  // Estimated from the time so far, validations included.
  double seconds_left() const {
    const auto steps = static_cast<double>(training_.own_steps());
    return seconds_since(started_at_) * static_cast<double>(training_.loop().steps_left()) / steps;
  }

  void save() {
    training_.save(seconds_since(started_at_));
    saved_at_ = Clock::now();
  }

  bool validate(const std::function<bool()>& stop_requested) {
    const auto start = Clock::now();
    std::optional<Clock::time_point> stopped_at;
    const auto should_stop = [&] {
      if (context_.checkpoints == nullptr || !stop_requested()) return false;
      if (!stopped_at) stopped_at = Clock::now();
      return seconds_since(*stopped_at) > max_seconds_after_stop_;
    };
    const Split& split = *input_.split;
    if (validation_rows_.empty()) {
      validation_rows_ = split.validation_rows.list();
      stopping_rows_ = split.stopping_rows.list();
    }
    training_.begin_validation();
    const bool complete =
        training_.evaluate(HeldOutRows::validation, validation_rows_.data(), split.validation_rows.count(),
                           should_stop) &&
        training_.evaluate(HeldOutRows::stopping, stopping_rows_.data(), split.stopping_rows.count(), should_stop);
    if (complete) training_.end_validation();
    training_.add_validation_seconds(seconds_since(start));
    return complete;
  }

  const TrainingContext& context_;
  const IterationInput& input_;
  const double max_seconds_after_stop_;
  IterationTraining training_;
  EpochRows order_;
  std::vector<std::int64_t> validation_rows_, stopping_rows_;  // filled by the first validation
  PieceSize piece_;
  const Clock::time_point started_at_ = Clock::now();
  Clock::time_point saved_at_ = started_at_;
};

}  // namespace

IterationInputs::IterationInputs(const TrainingContext& context) : context_(context) {
  if (context.data != nullptr || depends_on_data(context.study)) return;
  auto whole = std::make_shared<Split>();
  whole->training_rows = RowSet::all(context.study.data.rows);
  whole_ = std::move(whole);
}

IterationInput IterationInputs::of(const Iteration& iteration, const Trial& trial) const {
  const auto input_of = [&](const DataSet& data, Splits& splits) {
    return IterationInput{data, splits.split(iteration.repeat, iteration.fold),
                          splits.scaling(iteration.repeat, iteration.fold, scaling_kind(trial))};
  };
  if (context_.data != nullptr) return input_of(*context_.data, *context_.splits);
  const auto start = Clock::now();
  IterationInput input{draw_synthetic(context_.study.data, iteration.seed), whole_, no_scaling_};
  if (!whole_ || scaling_kind(trial) != ScalingKind(Normalize::none)) {
    Splits splits(context_.study, input.data);
    input = input_of(input.data, splits);
  }
  input.seconds = seconds_since(start);
  return input;
}

TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested) {
  const Stage& stage = context.plan.stage(iteration.stage);
  return MemoryTraining(context, iteration, trial, stage, input, trainer, max_seconds_after_stop).run(stop_requested);
}

void train_ahead(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                 const IterationInput& input, Trainer& trainer, const std::function<bool()>& stop_requested) {
  TrainingContext without_log = context;  // its lines name iterations, and this one has no number yet
  without_log.loss_log = nullptr;
  MemoryTraining(without_log, iteration, trial, stage, input, trainer, 0).run_ahead(stop_requested);
}

}  // namespace sheaf
