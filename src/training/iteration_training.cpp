// SPDX-License-Identifier: MIT
#include "training/iteration_training.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "data/row_draws.hpp"
#include "models/initial_weights.hpp"
#include "models/predictions.hpp"
#include "training/batches.hpp"
#include "training/class_weights.hpp"
#include "training/losses/reduction.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

IterationTraining::IterationTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                     const Stage& stage, const IterationRows& rows, Trainer& trainer)
    : context_(context),
      trial_(trial),
      training_{iteration, trial.train.epochs, stage.epochs_of(iteration.trial, trial.train.epochs), rows.windows},
      refit_(stage.refit_of(iteration.trial)),
      source_(rows),
      shape_(shape_of(rows.data, context.study->data)),
      layers_(network_layout(trial.model, shape_)),
      weights_(initial_weights(layers_, trial.model.initialization, iteration.seed)),
      scaling_(scaling_for(layers_, rows.scaling)),
      rows_(context.study->ensemble.bootstrap
                ? bootstrap_rows(rows.data.marks, rows.split.training_rows, iteration.seed)
                : rows.split.training_rows),
      batch_size_(batch_rows(trial.train, rows_.count())),
      trainer_(trainer),
      loop_(new_loop()),
      lines_(context.loss_log, iteration.number, rows_.count(), batch_size_) {}

TrainingLoop IterationTraining::new_loop() const {
  return {trial_.train,
          rows_.count(),
          source_.validation,
          context_.study.curves(),
          context_.study->run.metrics.size(),
          training_.stage_epochs,
          refit_};
}

void IterationTraining::start(bool repeats_one_batch) {
  repeats_one_batch_ = repeats_one_batch;
  loop_ = new_loop();
  kept_outputs_.clear();
  best_network_ = {};
  std::vector<double> of_classes = class_weights(trial_.train, source_.data, rows_);
  require(any_row_counts(source_.data, of_classes, rows_), [&] {
    return context_.study->ensemble.bootstrap
               ? "All rows of the bootstrap sample weigh 0 (none of them counts). Change the weights, or set "
                 "ensemble.bootstrap = false."
               : "All training rows weigh 0 (none of them counts). Change the weights.";
  });
  trainer_.start({trial_, layers_, weights_, source_.data, source_.split, scaling_, rows_, training_.iteration.seed,
                  shape_, repeats_one_batch, std::move(of_classes)});
}

void IterationTraining::restore(const std::function<void(ByteReader&)>& get, const std::function<void()>& restarted) {
  if (context_.checkpoints == nullptr) return;
  const Checkpoints& checkpoints = *context_.checkpoints;
  if (checkpoints.expect && loop_.earlier_steps() > 0)
    checkpoints.expect(training_of(training_.iteration), loop_.earlier_steps());
  const auto restart = [&] {
    start(repeats_one_batch_);
    restarted();
  };
  earlier_seconds_ = restore_checkpoint(checkpoints, training_, loop_, trainer_, restart, [&](ByteReader& state) {
    kept_outputs_ = state.get_list<std::vector<float>>();
    best_network_.parameters = state.get_list<std::vector<float>>();
    best_network_.buffers = state.get_list<std::vector<double>>();
    best_network_.rounds = state.get<std::int64_t>();
    // The job that saved it may not have kept networks: run.models may differ.
    require(!keeps_network() || !loop_.has_best() || !best_network_.empty(),
            "it does not have the weights of the best epoch");
    get(state);
  });
  first_step_ = saved_steps_ = loop_.steps();
}

void IterationTraining::save(double seconds, const std::function<void(ByteWriter&)>& put) {
  if (loop_.steps() == saved_steps_) return;
  save_checkpoint(*context_.checkpoints, training_, earlier_seconds_ + seconds, loop_, trainer_,
                  [&](ByteWriter& state) {
                    state.put_list(kept_outputs_);
                    state.put_list(best_network_.parameters);
                    state.put_list(best_network_.buffers);
                    state.put(best_network_.rounds);
                    put(state);
                  });
  saved_steps_ = loop_.steps();
}

void IterationTraining::train(const std::int64_t* rows, std::int64_t count) {
  const TrainingRows next = next_rows(rows, count);
  double loss_sum = loop_.loss_sum();
  trainer_.train(next, loop_.rate(), loss_sum);
  trained(next, loss_sum);
}

void IterationTraining::trained(const TrainingRows& rows, double loss_sum) {
  const std::int64_t batches = (rows.count + batch_size_ - 1) / batch_size_;
  lines_.trained(loop_, batches, loss_sum);
  loop_.trained(batches, loss_sum);
}

void IterationTraining::begin_validation() {
  const auto begin = [&](Evaluated& evaluated, const RowSet& rows) {
    evaluated.loss_sum = 0;
    evaluated.outputs.clear();
    evaluated.outputs.reserve(static_cast<std::size_t>(rows.count() * source_.data.output_count));
  };
  begin(validation_, source_.split.validation_rows);
  begin(stopping_, source_.split.stopping_rows);
}

bool IterationTraining::evaluate(HeldOutRows kind, const std::int64_t* rows, std::int64_t count,
                                 const std::function<bool()>& should_stop) {
  const auto loss_sum = trainer_.evaluate(rows, count, outputs(kind), should_stop);
  add_losses(kind, loss_sum.value_or(0));
  return loss_sum.has_value();
}

RowPredictions IterationTraining::predictions(const Evaluated& evaluated, const RowSet& rows) const {
  return {scoring_of(trial_.train, source_.data, false), evaluated.outputs, source_.data, rows,
          scoring_weights(context_.study, trial_.train, source_.data, source_.split.training_rows, rows)};
}

void IterationTraining::end_validation() {
  const RowSet& rows = source_.split.validation_rows;
  const RowSet& stopping_rows = source_.split.stopping_rows;
  if (source_.data.task == Task::regression)  // metrics of classes read logits
    for (Evaluated* evaluated : {&validation_, &stopping_})
      make_predictions(trial_.train.loss, source_.data.output_count, evaluated->outputs.data(),
                       static_cast<std::int64_t>(evaluated->outputs.size()) / source_.data.output_count);
  const RowPredictions validation = predictions(validation_, rows);
  const RowPredictions judged = stopping_rows.empty() ? validation : predictions(stopping_, stopping_rows);
  // The engines' loss of the rows, or with weights that of the predictions.
  const auto loss_of_rows = [&](const Evaluated& evaluated, const RowPredictions& of_rows) {
    return context_.study->search.weighted ? prediction_loss(of_rows)
                                           : mean_loss(evaluated.loss_sum, of_rows.rows.count());
  };
  TrainingLoop::Monitored monitored;
  if (!stopping_rows.empty()) monitored.loss = loss_of_rows(stopping_, judged);
  if (const auto& metric = trial_.train.stop_on) monitored.metric = prediction_scores({*metric}, judged).front();
  const auto scores = prediction_scores(validation_metrics(context_.study), validation);
  if (!loop_.validated(loss_of_rows(validation_, validation), scores, monitored)) return;
  if (keeps_outputs()) std::swap(validation_.outputs, kept_outputs_);
  if (keeps_network() && trial_.train.best_weights.value_or(false)) best_network_ = trainer_.network();
}

TrainedIteration IterationTraining::finish(double seconds) {
  TrainedIteration trained;
  trained.result.iteration = training_.iteration.number;
  trained.result.engine = trainer_.engine();
  loop_.write_results(trained);
  trained.result.seconds = seconds;
  trained.result.earlier_seconds = earlier_seconds_;
  if (!has_model(trained.result.status)) return trained;
  if (keeps_outputs()) {
    if (source_.data.task != Task::regression)
      make_predictions(trial_.train.loss, source_.data.output_count, kept_outputs_.data(),
                       source_.split.validation_rows.count());
    trained.predictions = std::move(kept_outputs_);
  }
  if (keeps_network()) {
    trained.network = loop_.has_earlier_best() ? std::move(best_network_) : trainer_.network();
    trainer_.complete(trained.network);
    trained.scaling = scaling_;
  }
  return trained;
}

}  // namespace sheaf
