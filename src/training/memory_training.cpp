// SPDX-License-Identifier: MIT
#include "training/memory_training.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "data/synthetic.hpp"
#include "models/initial_weights.hpp"
#include "study/validation_epochs.hpp"
#include "training/batches.hpp"
#include "training/epoch_rows.hpp"
#include "training/loss_log.hpp"
#include "training/metrics/score.hpp"
#include "training/optional_results.hpp"
#include "training/piece_size.hpp"
#include "training/training_checkpoint.hpp"
#include "training/training_cost.hpp"
#include "training/training_loop.hpp"

namespace sheaf {
namespace {

// Whether the split of synthetic data depends on their values: rows are chosen by label, or scaled.
bool depends_on_data(const Study& study) {
  return validation_epochs(study).any() || study.data.normalize != Normalize::none ||
         study.data.normalize_targets == NormalizeTargets::standard;
}

// The driver of one iteration: runs its TrainingLoop.
class MemoryTraining {
 public:
  MemoryTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                 const IterationInput& input, Trainer& trainer)
      : context_(context),
        trial_(trial),
        training_{iteration, trial_.train.epochs, context.plan.stage(iteration.stage).epochs_of(trial_.train.epochs),
                  0},
        input_(input),
        shape_(shape_of(input_.data, context.study.data)),
        layers_(network_layout(trial_.model, shape_)),
        weights_(initial_weights(layers_, trial_.model.initialization, iteration.seed)),
        rows_(context.study.ensemble.bootstrap ? bootstrap_rows(input_.split->training_rows, iteration.seed)
                                               : input_.split->training_rows),
        batch_size_(batch_rows(trial_.train, rows_.count())),
        trainer_(trainer),
        order_(rows_, trial_.train, trial_.model, iteration.seed),
        loop_(new_loop()),
        lines_(context.loss_log, iteration.number, rows_.count(), batch_size_) {
    trained_.result.iteration = iteration.number;
    trained_.result.engine = trainer_.engine();
    trained_.result.data_seconds = input.seconds;
    start();
  }

  TrainedIteration run(const std::function<bool()>& stop_requested) {
    if (context_.checkpoints != nullptr)
      seconds_before_ = restore_checkpoint(
          *context_.checkpoints, training_, loop_, trainer_, [&] { start(); }, [](ByteReader&) {});
    has_paused_ = loop_.is_paused();  // by an earlier job
    first_step_ = loop_.steps();
    while (loop_.next() != TrainingLoop::Next::end) {
      bool leaving = false;
      if (loop_.next() == TrainingLoop::Next::validate)
        leaving = !validate(stop_requested);
      else
        train_piece();
      if (context_.checkpoints != nullptr && loop_.is_paused() && !has_paused_) pause();
      if (context_.checkpoints == nullptr || loop_.next() == TrainingLoop::Next::end) continue;
      leaving = leaving || (stop_requested() && seconds_left() > max_seconds_after_stop);
      if (leaving || seconds_since(saved_at_) >= context_.checkpoints->interval_seconds) save();
      if (leaving) return TrainedIteration{};
    }
    loop_.write_results(trained_);
    trained_.result.seconds = trained_.earlier_seconds = seconds_before_;
    if (trained_.result.status == IterationStatus::finished)
      add_optional_results(context_, trial_, loop_.is_paused(), *input_.split, trainer_, std::move(outputs_), trained_);
    return std::move(trained_);
  }

 private:
  TrainingLoop new_loop() const {
    const bool validates = !input_.split->validation_rows.empty();
    return {trial_.train,
            rows_.count(),
            validates ? validation_epochs(context_.study) : ValidationEpochs{},
            context_.study.run.curves.value_or(false),
            context_.study.run.metrics,
            training_.stage_epochs};
  }

  void start() {
    loop_ = new_loop();
    trainer_.start({trial_, layers_, weights_, input_.data, *input_.split, rows_, training_.iteration.seed, shape_,
                    order_.repeat_one_batch()});
  }

  void train_piece() {
    if (loop_.has_one_batch()) return train_batches(1);
    const auto start = Clock::now();
    const std::int64_t batches = lines_.batches_to_line(loop_, std::min(piece_.batches(), loop_.batches_left()));
    train_batches(batches);
    piece_.update(batches, seconds_since(start));
  }

  void train_batches(std::int64_t batches) {
    const std::int64_t first = loop_.batches() * batch_size_;
    const std::int64_t count = std::min(batches * batch_size_, rows_.count() - first);
    double loss_sum = loop_.loss_sum();
    trainer_.train({order_.of(loop_.epochs()) + first, count, loop_.steps()}, loop_.rate(), loss_sum);
    lines_.trained(loop_, batches, loss_sum);
    loop_.trained(batches, loss_sum);
  }

  // Estimated from the time so far, validations included.
  double seconds_left() const {
    const auto steps = static_cast<double>(loop_.steps() - first_step_);
    return seconds_since(started_at_) * static_cast<double>(loop_.steps_left()) / steps;
  }

  void save() {
    const double seconds = seconds_before_ + seconds_since(started_at_);
    save_checkpoint(*context_.checkpoints, training_, seconds, loop_, trainer_, [](ByteWriter&) {});
    saved_at_ = Clock::now();
  }

  // For the stage that continues the training.
  void pause() {
    save();
    has_paused_ = true;
  }

  // Returns false if the job is stopping and the validation takes too long to finish.
  bool validate(const std::function<bool()>& stop_requested) {
    const auto start = Clock::now();
    std::optional<Clock::time_point> stopped_at;
    const auto should_stop = [&] {
      if (context_.checkpoints == nullptr || !stop_requested()) return false;
      if (!stopped_at) stopped_at = Clock::now();
      return seconds_since(*stopped_at) > max_seconds_after_stop;
    };
    const RowSet& rows = input_.split->validation_rows;
    if (validation_rows_.empty()) validation_rows_ = rows.list();
    outputs_.clear();
    const auto loss_sum = trainer_.evaluate(validation_rows_.data(), rows.count(), outputs_, should_stop);
    if (loss_sum)
      loop_.validated(
          *loss_sum, rows.count(),
          prediction_scores(validation_metrics(context_.study), trial_.train.loss, false, outputs_, input_.data, rows));
    loop_.add_validation_seconds(seconds_since(start));
    return loss_sum.has_value();
  }

  const TrainingContext& context_;
  const Trial& trial_;
  const CheckpointedTraining training_;
  const IterationInput& input_;
  const DataShape shape_;
  const std::vector<Layer> layers_;
  const std::vector<float> weights_;
  const RowSet rows_;  // training rows
  const std::int64_t batch_size_;
  Trainer& trainer_;
  EpochRows order_;
  TrainingLoop loop_;
  LossLines lines_;
  std::vector<std::int64_t> validation_rows_;  // filled by the first validation
  std::vector<float> outputs_;                 // outputs of the last validation
  TrainedIteration trained_;
  double seconds_before_ = 0;    // training time before the checkpoint that was restored
  std::int64_t first_step_ = 0;  // steps before it
  bool has_paused_ = false;
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

IterationInput IterationInputs::of(const Iteration& iteration) const {
  if (context_.data != nullptr) return {*context_.data, context_.splits->split(iteration.repeat, iteration.fold), 0};
  const auto start = Clock::now();
  const DataSet drawn = draw_synthetic(context_.study.data, iteration.seed);
  const auto split = whole_ ? whole_ : Splits(context_.study, drawn).split(iteration.repeat, iteration.fold);
  return {drawn, split, seconds_since(start)};
}

TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested) {
  return MemoryTraining(context, iteration, trial, input, trainer).run(stop_requested);
}

}  // namespace sheaf
