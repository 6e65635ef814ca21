// SPDX-License-Identifier: MIT
#include "training/training.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "data/synthetic.hpp"
#include "models/initial_weights.hpp"
#include "models/predictions.hpp"
#include "training/batches.hpp"
#include "training/metrics/metric_table.hpp"
#include "training/metrics/score.hpp"
#include "training/piece_size.hpp"
#include "training/training_checkpoint.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Whether drawn data need a split of their own: rows chosen by their labels, or scaled by their values.
bool depends_on_data(const Study& study) {
  return study.search.folds > 1 || study.data.validation > 0 || study.data.normalize != Normalize::none;
}

// The training of one iteration.
class MemoryTraining {
 public:
  MemoryTraining(const TrainingContext& context, const Iteration& iteration, const IterationInput& input,
                 Trainer& trainer)
      : context_(context),
        trial_(context.plan.trials()[static_cast<std::size_t>(iteration.trial)]),
        input_(input),
        shape_(shape_of(input_.data, context.study.data)),
        layers_(network_layout(trial_.model, shape_)),
        weights_(initial_weights(layers_, trial_.model.initialization, iteration.seed)),
        trainer_(trainer) {
    trained_.result.iteration = iteration.number;
    if (context.study.ensemble.bootstrap) bootstrap_ = bootstrap_rows(input_.split->training_rows, iteration.seed);
    steps_ = trial_.train.epochs * epoch_steps(trial_.train, training_rows().count());
    seed_ = iteration.seed;
    start();
  }

  TrainedIteration run(const std::function<bool()>& stop_requested) {
    IterationResult& result = trained_.result;
    result.status = IterationStatus::finished;
    result.engine = trainer_.engine();
    if (context_.checkpoints != nullptr)
      restore_checkpoint(
          *context_.checkpoints, trained_, trainer_, 0, [&] { start(); },
          [&](ByteReader& state, const IterationResult&) { awaits_validation_ = state.get<bool>(); });
    begun_steps_ = trainer_.steps();
    while (!is_done()) {
      bool leaving = false;
      if (awaits_validation_)
        leaving = !validate(stop_requested);
      else if (const auto loss = train_piece())
        end_epoch(*loss);
      if (context_.checkpoints == nullptr || is_done()) continue;
      leaving = leaving || (stop_requested() && seconds_left() > most_seconds_after_stop);
      if (leaving || seconds_since(kept_at_) >= context_.checkpoints->interval_seconds) keep();
      if (leaving) return TrainedIteration{};
    }
    result.steps = trainer_.steps();
    if (result.status == IterationStatus::finished)
      add_products(context_, trial_, *input_.split, trainer_, std::move(outputs_), trained_);
    return std::move(trained_);
  }

 private:
  const RowSet& training_rows() const {
    return context_.study.ensemble.bootstrap ? bootstrap_ : input_.split->training_rows;
  }

  void start() {
    awaits_validation_ = false;
    trainer_.start({trial_, layers_, weights_, input_.data, *input_.split, training_rows(), seed_, shape_});
  }

  bool is_done() const {
    return trained_.result.status == IterationStatus::diverged ||
           (trained_.result.epochs >= trial_.train.epochs && !awaits_validation_);
  }

  std::optional<double> train_piece() {
    if (steps_ == trial_.train.epochs) return trainer_.train_batches(1);  // epochs of one batch have no pieces
    const auto start = Clock::now();
    const std::int64_t steps = trainer_.steps();
    const auto loss = trainer_.train_batches(piece_.batches());
    piece_.learn(trainer_.steps() - steps, seconds_since(start));
    return loss;
  }

  void end_epoch(double loss) {
    const bool curves = context_.study.run.curves;
    enter_epoch(loss, curves, trained_);
    const IterationResult& result = trained_.result;
    awaits_validation_ = result.status == IterationStatus::finished && !input_.split->validation_rows.empty() &&
                         (curves || result.epochs == trial_.train.epochs);
  }

  // By what it took so far, validations included.
  double seconds_left() const {
    const auto steps_left = static_cast<double>(steps_ - trainer_.steps());
    return seconds_since(begun_at_) * steps_left / static_cast<double>(trainer_.steps() - begun_steps_);
  }

  void keep() {
    IterationResult so_far = trained_.result;
    so_far.seconds += seconds_since(begun_at_);
    save_checkpoint(*context_.checkpoints, so_far, trained_.epochs, trainer_, 0,
                    [&](ByteWriter& state) { state.put(awaits_validation_); });
    kept_at_ = Clock::now();
  }

  // False: the job is to stop, and this would have taken too long.
  bool validate(const std::function<bool()>& stop_requested) {
    std::optional<Clock::time_point> stopped_at;
    const auto should_stop = [&] {
      if (context_.checkpoints == nullptr || !stop_requested()) return false;
      if (!stopped_at) stopped_at = Clock::now();
      return seconds_since(*stopped_at) > most_seconds_after_stop;
    };
    const RowSet& rows = input_.split->validation_rows;
    if (validation_rows_.empty()) validation_rows_ = rows.list();
    const auto loss = trainer_.evaluate(validation_rows_, outputs_, should_stop);
    if (!loss) return false;
    const Metric& metric = score_metric(context_.study);
    enter_validation(*loss, prediction_score(metric, outputs_, input_.data, rows), trained_);
    awaits_validation_ = false;
    return true;
  }

  const TrainingContext& context_;
  const Trial& trial_;
  const IterationInput& input_;
  const DataShape shape_;
  const std::vector<Layer> layers_;
  const std::vector<float> weights_;
  Trainer& trainer_;
  RowSet bootstrap_;
  std::vector<std::int64_t> validation_rows_;  // from the first validation on
  std::vector<float> outputs_;                 // of the validation rows, the last ones
  bool awaits_validation_ = false;             // of the last epoch
  TrainedIteration trained_;
  std::uint64_t seed_ = 0;
  std::int64_t steps_ = 0;        // of all epochs
  std::int64_t begun_steps_ = 0;  // that a checkpoint brought
  PieceSize piece_;
  const Clock::time_point begun_at_ = Clock::now();
  Clock::time_point kept_at_ = begun_at_;
};

}  // namespace

void enter_epoch(double loss, bool curves, TrainedIteration& trained) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  IterationResult& result = trained.result;
  result.final_loss = loss;
  ++result.epochs;
  if (!std::isfinite(loss)) {
    result.status = IterationStatus::diverged;
    result.validation_loss = result.validation_score = none;
  }
  if (curves) trained.epochs.push_back({result.iteration, result.epochs - 1, loss, none, none});
}

void enter_validation(double loss, double score, TrainedIteration& trained) {
  trained.result.validation_loss = loss;
  trained.result.validation_score = score;
  if (trained.epochs.empty()) return;  // without curves
  trained.epochs.back().validation_loss = loss;
  trained.epochs.back().validation_score = score;
}

void add_products(const TrainingContext& context, const Trial& trial, const Split& split, const Trainer& trainer,
                  std::vector<float>&& outputs, TrainedIteration& trained) {
  if (context.study.ensemble.members > 1) {
    const std::int64_t rows = split.validation_rows.count();
    const std::int64_t output_count = rows == 0 ? 0 : static_cast<std::int64_t>(outputs.size()) / rows;
    make_predictions(trial.train.loss, output_count, outputs.data(), rows);
    trained.predictions = std::move(outputs);
  }
  if (context.study.run.models != ModelsSaved::none) {
    trained.network = trainer.network();
    trained.scaling = split.scaling;
  }
}

IterationInputs::IterationInputs(const TrainingContext& context) : context_(context) {
  if (context.data != nullptr || depends_on_data(context.study)) return;
  auto whole = std::make_shared<Split>();
  whole->training_rows = RowSet::all(context.study.data.rows);
  whole_ = std::move(whole);
}

IterationInput IterationInputs::of(const Iteration& iteration) const {
  if (context_.data != nullptr) return {*context_.data, context_.splits->split(iteration.repeat, iteration.fold)};
  const DataSet drawn = draw_synthetic(context_.study.data, iteration.seed);
  if (whole_) return {drawn, whole_};
  return {drawn, Splits(context_.study, drawn).split(iteration.repeat, iteration.fold)};
}

TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested) {
  return MemoryTraining(context, iteration, input, trainer).run(stop_requested);
}

}  // namespace sheaf
