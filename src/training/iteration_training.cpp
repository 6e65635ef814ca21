// SPDX-License-Identifier: MIT
#include "training/iteration_training.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "models/initial_weights.hpp"
#include "models/predictions.hpp"
#include "training/batches.hpp"
#include "training/class_weights.hpp"
#include "training/metrics/score.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

IterationTraining::IterationTraining(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                     IndexRange epochs, const IterationRows& rows, Trainer& trainer)
    : context_(context),
      trial_(trial),
      training_{iteration, trial.train.epochs, epochs, rows.windows},
      source_(rows),
      shape_(shape_of(rows.data, context.study.data)),
      layers_(network_layout(trial.model, shape_)),
      weights_(initial_weights(layers_, trial.model.initialization, iteration.seed)),
      rows_(context.study.ensemble.bootstrap ? bootstrap_rows(rows.data.marks, rows.split.training_rows, iteration.seed)
                                             : rows.split.training_rows),
      batch_size_(batch_rows(trial.train, rows_.count())),
      trainer_(trainer),
      loop_(new_loop()),
      lines_(context.loss_log, iteration.number, rows_.count(), batch_size_) {}

TrainingLoop IterationTraining::new_loop() const {
  return {trial_.train,
          rows_.count(),
          source_.validation,
          context_.study.run.curves.value_or(false),
          context_.study.run.metrics.size(),
          training_.stage_epochs};
}

void IterationTraining::start(bool repeats_one_batch) {
  repeats_one_batch_ = repeats_one_batch;
  loop_ = new_loop();
  kept_outputs_.clear();
  best_network_ = {};
  trainer_.start({trial_, layers_, weights_, source_.data, source_.split, rows_, training_.iteration.seed, shape_,
                  repeats_one_batch, class_weights(trial_.train, source_.data, rows_)});
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
    // The job that saved it may not have kept networks: run.models may differ.
    require(!keeps_network() || !loop_.has_best() || !best_network_.parameters.empty(),
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
                    put(state);
                  });
  saved_steps_ = loop_.steps();
}

void IterationTraining::train(const std::int64_t* rows, std::int64_t count) {
  double loss_sum = loop_.loss_sum();
  trainer_.train({rows, count, loop_.steps()}, loop_.rate(), loss_sum);
  const std::int64_t batches = (count + batch_size_ - 1) / batch_size_;
  lines_.trained(loop_, batches, loss_sum);
  loop_.trained(batches, loss_sum);
}

void IterationTraining::begin_validation() {
  validation_sum_ = 0;
  outputs_.clear();
  outputs_.reserve(static_cast<std::size_t>(source_.split.validation_rows.count() * source_.data.output_count));
}

bool IterationTraining::evaluate(const std::int64_t* rows, std::int64_t count,
                                 const std::function<bool()>& should_stop) {
  const auto loss_sum = trainer_.evaluate(rows, count, outputs_, should_stop);
  validation_sum_ += loss_sum.value_or(0);
  return loss_sum.has_value();
}

void IterationTraining::end_validation() {
  const RowSet& rows = source_.split.validation_rows;
  const std::optional<MetricChoice>& stop_on = trial_.train.stop_on;
  auto metrics = validation_metrics(context_.study);
  const std::size_t reported = metrics.size();
  if (stop_on) metrics.push_back(*stop_on);
  const bool makes_numbers = source_.data.task == Task::regression;  // metrics of classes read logits
  if (makes_numbers) make_predictions(trial_.train.loss, source_.data.output_count, outputs_.data(), rows.count());
  auto scores = prediction_scores(metrics, trial_.train.loss, false, outputs_, source_.data, rows);
  const auto monitored = stop_on ? std::optional(scores.back()) : std::nullopt;
  scores.resize(reported);
  if (!loop_.validated(validation_sum_, rows.count(), scores, monitored)) return;
  if (keeps_outputs()) std::swap(outputs_, kept_outputs_);
  if (keeps_network() && trial_.train.best_weights.value_or(false)) best_network_ = trainer_.network();
}

TrainedIteration IterationTraining::finish(double seconds) {
  TrainedIteration trained;
  trained.result.iteration = training_.iteration.number;
  trained.result.engine = trainer_.engine();
  loop_.write_results(trained);
  trained.result.seconds = seconds;
  trained.earlier_seconds = earlier_seconds_;
  if (trained.result.status != IterationStatus::finished) return trained;
  if (keeps_outputs()) {
    if (source_.data.task == Task::classification)
      make_predictions(trial_.train.loss, source_.data.output_count, kept_outputs_.data(),
                       source_.split.validation_rows.count());
    trained.predictions = std::move(kept_outputs_);
  }
  if (keeps_network()) {
    trained.network = loop_.has_earlier_best() ? std::move(best_network_) : trainer_.network();
    trained.scaling = source_.split.scaling;
  }
  return trained;
}

}  // namespace sheaf
