// SPDX-License-Identifier: MIT
#include "training/memory_training.hpp"

#include <algorithm>
#include <optional>

#include "data/synthetic.hpp"
#include "study/validation_epochs.hpp"
#include "training/piece_size.hpp"

namespace sheaf {
namespace {

// Whether the split of synthetic data depends on their values: rows are chosen by label, or targets are scaled.
bool depends_on_data(const Study& study) {
  return validates(study) || study.data.normalize_targets == NormalizeTargets::standard;
}

// Trains one model: pieces and validations in turn. Between them the job can stop.
class Driver {
 public:
  /// `most_seconds`: what takes longer after a stop is interrupted.
  Driver(MemoryTraining& training, Trainer& trainer, double most_seconds)
      : training_(training), trainer_(trainer), most_seconds_(most_seconds) {}

  TrainedIteration run(const std::function<bool()>& stop_requested) {
    while (!training_.is_over()) {
      bool leaving = !step(stop_requested);
      training_.cut_if_due();
      if (training_.is_cut_due() || !training_.saves() || training_.is_over()) continue;
      leaving = leaving || (stop_requested() && training_.seconds_left() > most_seconds_);
      if (!leaving) continue;
      training_.save();
      return TrainedIteration{};
    }
    return training_.finish();
  }

  // Without the last validation, which belongs to the result.
  void run_ahead(const std::function<bool()>& stop_requested) {
    while (!training_.is_over() && training_.steps_left() > 0 && !stop_requested())
      if (!step(stop_requested)) break;
    training_.save();
  }

 private:
  // Trains a piece or validates, and saves a checkpoint if one is due. Returns false if the job is stopping and the
  // validation was interrupted.
  bool step(const std::function<bool()>& stop_requested) {
    bool is_complete = true;
    if (training_.validates_next())
      is_complete = training_.validate(stop_requested, most_seconds_);
    else
      train_piece();
    training_.save_if_due();
    return is_complete;
  }

  void train_piece() {
    const auto start = Clock::now();
    const std::int64_t batches = training_.batches(piece_.batches());
    const TrainingRows rows = training_.next_rows(batches);
    double loss_sum = training_.loss_sum();
    trainer_.train(rows, training_.rate(), loss_sum);
    const double seconds = seconds_since(start);
    training_.trained(rows, loss_sum, seconds);
    piece_.update(batches, seconds);
  }

  MemoryTraining& training_;
  Trainer& trainer_;
  const double most_seconds_;
  PieceSize piece_;
};

}  // namespace

IterationInputs::IterationInputs(const TrainingContext& context) : context_(context) {
  if (context.data != nullptr || depends_on_data(context.study)) return;
  auto whole = std::make_shared<Split>();
  whole->training_rows = RowSet::all(context.study->data.rows);
  whole_ = std::move(whole);
}

IterationInput IterationInputs::of(const Iteration& iteration, const Trial& trial) const {
  const auto input_of = [&](const DataSet& data, Splits& splits) {
    return IterationInput{data, splits.split(iteration.repeat, iteration.fold),
                          splits.scaling(iteration.repeat, iteration.fold, scaling_kind(trial))};
  };
  if (context_.data != nullptr) return input_of(*context_.data, *context_.splits);
  const auto start = Clock::now();
  IterationInput input{draw_synthetic(context_.study->data, iteration.seed), whole_, no_scaling_};
  if (!whole_ || scaling_kind(trial) != ScalingKind(Normalize::none)) {
    Splits splits(context_.study, input.data);
    input = input_of(input.data, splits);
  }
  input.seconds = seconds_since(start);
  return input;
}

MemoryTraining::MemoryTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                               const Stage& stage, const IterationInput& input, Trainer& trainer)
    : context_(context),
      input_(input),
      training_(context, iteration, trial, stage,
                {input.data, *input.split, *input.scaling,
                 input.split->validation_rows.empty() ? ValidationEpochs{} : validation_epochs(context.study)},
                trainer),
      order_(training_.rows(), trial.train, trial.model, iteration.seed) {
  const auto start = Clock::now();
  training_.start(order_.repeat_one_batch());
  training_.restore();
  seconds_ = seconds_since(start);
}

std::int64_t MemoryTraining::batches(std::int64_t most) const {
  const TrainingLoop& loop = training_.loop();
  return loop.has_one_batch() ? 1 : training_.batches_to_line(std::min(most, loop.batches_left()));
}

TrainingRows MemoryTraining::next_rows(std::int64_t batches) {
  const TrainingLoop& loop = training_.loop();
  const std::int64_t first = loop.batches() * training_.batch_size();
  const std::int64_t count = std::min(batches * training_.batch_size(), training_.rows().count() - first);
  return training_.next_rows(order_.of(loop.epochs()) + first, count);
}

void MemoryTraining::trained(const TrainingRows& rows, double loss_sum, double seconds) {
  training_.trained(rows, loss_sum);
  seconds_ += seconds;
}

// Estimated from the time so far, validations included.
double MemoryTraining::seconds_left() const {
  return seconds_ * static_cast<double>(steps_left()) / static_cast<double>(training_.own_steps());
}

void MemoryTraining::save() {
  training_.save(seconds_);
  saved_at_ = Clock::now();
}

void MemoryTraining::save_if_due() {
  if (!saves()) return;
  if (training_.must_save() || (!is_over() && seconds_since(saved_at_) >= context_.checkpoints->interval_seconds))
    save();
}

bool MemoryTraining::validate(const std::function<bool()>& stop_requested, double most_seconds) {
  const auto start = Clock::now();
  std::optional<Clock::time_point> stopped_at;
  const auto should_stop = [&] {
    if (!saves() || !stop_requested() || is_cut_due()) return false;  // a cut needs this validation
    if (!stopped_at) stopped_at = Clock::now();
    return seconds_since(*stopped_at) > most_seconds;
  };
  begin_validation();
  const auto evaluate = [&](HeldOutRows kind, const std::vector<std::int64_t>& rows) {
    return training_.evaluate(kind, rows.data(), static_cast<std::int64_t>(rows.size()), should_stop);
  };
  const bool complete =
      evaluate(HeldOutRows::validation, validation_rows_) && evaluate(HeldOutRows::stopping, stopping_rows_);
  if (complete) training_.end_validation();
  add_validation_seconds(seconds_since(start));
  return complete;
}

std::array<MemoryTraining::HeldOut, 2> MemoryTraining::begin_validation() {
  if (validation_rows_.empty()) {
    validation_rows_ = input_.split->validation_rows.list();
    stopping_rows_ = input_.split->stopping_rows.list();
  }
  training_.begin_validation();
  return {HeldOut{validation_rows_, training_.outputs(HeldOutRows::validation)},
          HeldOut{stopping_rows_, training_.outputs(HeldOutRows::stopping)}};
}

void MemoryTraining::end_validation(const std::array<double, 2>& loss_sums) {
  training_.add_losses(HeldOutRows::validation, loss_sums[0]);
  training_.add_losses(HeldOutRows::stopping, loss_sums[1]);
  training_.end_validation();
}

void MemoryTraining::add_validation_seconds(double seconds) {
  training_.add_validation_seconds(seconds);
  seconds_ += seconds;
}

TrainedIteration MemoryTraining::finish() {
  TrainedIteration trained = training_.finish(training_.earlier_seconds());
  trained.result.data_seconds = input_.seconds;
  return trained;
}

TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested) {
  const Stage& stage = context.plan.stage(iteration.stage);
  MemoryTraining training(context, iteration, trial, stage, input, trainer);
  return Driver(training, trainer, max_seconds_after_stop).run(stop_requested);
}

void train_ahead(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                 const IterationInput& input, Trainer& trainer, const std::function<bool()>& stop_requested) {
  TrainingContext without_log = context;  // its lines name iterations, and this one has no number yet
  without_log.loss_log = nullptr;
  MemoryTraining training(without_log, iteration, trial, stage, input, trainer);
  Driver(training, trainer, 0).run_ahead(stop_requested);
}

}  // namespace sheaf
