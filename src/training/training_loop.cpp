// SPDX-License-Identifier: MIT
#include "training/training_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "study/metrics.hpp"
#include "training/batches.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool can_be_cut(const TrainOptions& train) {
  return train.best_weights.value_or(false) && !schedule_of(train.schedule).has_horizon;
}

TrainingLoop::TrainingLoop(const TrainOptions& train, std::int64_t rows, ValidationEpochs validation, bool has_curve,
                           std::size_t metric_count, std::optional<IndexRange> epochs,
                           const std::optional<Refit>& refit)
    : train_(train),
      rows_(rows),
      epoch_batches_(epoch_steps(train, rows)),
      range_(refit ? IndexRange{0, (refit->steps() + epoch_batches_ - 1) / epoch_batches_}
                   : epochs.value_or(IndexRange{0, train.epochs})),
      end_step_(refit ? refit->steps() : range_.end * epoch_batches_),
      pauses_(!refit && range_.end < train.epochs),
      is_refit_(refit.has_value()),
      validation_(validation),
      has_curve_(has_curve),
      metric_count_(metric_count),
      rate_(refit ? LearningRate(train, refit->epoch_steps, refit->reductions) : LearningRate(train, epoch_batches_)),
      best_(train) {}

TrainingLoop::Next TrainingLoop::next() const {
  if (state_.diverged || is_cut_) return Next::end;
  if (state_.awaits_validation) return Next::validate;
  return is_over() ? Next::end : Next::train;
}

bool TrainingLoop::may_be_cut() const {
  return can_be_cut(train_) && !is_refit_ && (has_best() ? next() != Next::end : next() == Next::validate);
}

// The results are those of the best epoch, but the loss and the numbers of epochs and steps are those of the last one,
// which could be the best.
void TrainingLoop::cut() {
  assert(may_be_cut() && next() == Next::train);
  is_cut_ = true;
}

void TrainingLoop::trained(std::int64_t batches, double loss_sum) {
  assert(next() == Next::train && batches <= batches_left());
  state_.batches += batches;
  state_.steps += batches;
  state_.loss_sum = loss_sum;
  if (batches_left() == 0) end_epoch();
}

// A refit may end within an epoch, which then has a loss but does not count. A diverged training does not report the
// validation of an earlier epoch, unless it has kept the best one.
void TrainingLoop::end_epoch() {
  const std::int64_t trained_rows = std::min(state_.batches * batch_rows(train_, rows_), rows_);
  state_.training_loss = mean_loss(state_.loss_sum, trained_rows);
  state_.diverged = !std::isfinite(state_.training_loss);
  if (state_.batches < epoch_batches_) return;
  state_.batches = 0;
  state_.loss_sum = 0;
  ++state_.epochs;
  if (!state_.diverged)
    state_.awaits_validation = validation_.follows(state_.epochs, range_.end);
  else if (!has_best())
    validated_ = {};
  if (!has_curve_) return;
  epochs_.push_back({-1, state_.epochs - 1, state_.training_loss, none, none});
  epoch_metrics_.resize(epoch_metrics_.size() + metric_count_, none);
}

bool TrainingLoop::validated(double validation_loss, const std::vector<double>& scores, const Monitored& monitored) {
  assert(next() == Next::validate && scores.size() == 1 + metric_count_);
  state_.awaits_validation = false;
  Validation found{validation_loss, scores.front(), {scores.begin() + 1, scores.end()}};
  const double loss = monitored.loss.value_or(found.loss);
  rate_.validated(state_.epochs - 1, loss);
  if (has_curve_) {
    epochs_.back().validation_loss = found.loss;
    epochs_.back().validation_score = found.score;
    std::copy(found.metrics.begin(), found.metrics.end(),
              epoch_metrics_.end() - static_cast<std::ptrdiff_t>(found.metrics.size()));
  }
  // A metric that is not defined for the rows says nothing about the epoch.
  const bool is_undefined = monitored.metric && std::isnan(*monitored.metric) && std::isfinite(loss);
  const bool improves = best_.is_on() && !is_undefined && best_.add(state_.epochs - 1, monitored.metric.value_or(loss));
  // Until an epoch is the best one, the last one counts.
  const bool counts = improves || !has_best();
  if (counts) validated_ = std::move(found);
  return counts;
}

void TrainingLoop::begin_stage() {
  state_.validation_seconds = 0;
  const bool is_regular = validation_.any() && state_.epochs % validation_.every == 0;
  state_.awaits_validation = state_.awaits_validation && is_regular;
}

void TrainingLoop::write_results(TrainedIteration& trained) const {
  IterationResult& result = trained.result;
  const bool has_failed = state_.diverged && !has_earlier_best();
  result.status = has_failed ? IterationStatus::diverged : is_cut_ ? IterationStatus::cut : IterationStatus::finished;
  result.final_loss = state_.training_loss;
  result.validation_loss = validated_.loss;
  result.validation_score = validated_.score;
  result.best_epoch = best_.epoch().value_or(-1);
  if (train_.stop_on && best_.is_on() && !best_.epoch() && !state_.diverged && std::isfinite(validated_.loss))
    trained.message = fmt::format(
        "{} (train.stop_on) is not defined for the {} rows, so all epochs were trained, and the last one counts",
        train_.stop_on->name(), train_.stop_fraction > 0 ? "stopping" : "validation");
  if (state_.diverged && !has_failed)
    trained.message = fmt::format("the training loss is not finite in epoch {}; the model is that of epoch {}",
                                  state_.epochs - 1, result.best_epoch);
  result.epochs = state_.epochs;
  result.steps = state_.steps - (is_cut_ ? state_.batches : 0);
  result.validation_seconds = state_.validation_seconds;
  trained.rate_reductions = rate_.reductions();
  trained.metrics = validated_.metrics;
  trained.metrics.resize(metric_count_, none);
  const auto earlier = std::min(static_cast<std::ptrdiff_t>(epochs_.size()), std::ptrdiff_t{range_.begin});
  trained.epochs.assign(epochs_.begin() + earlier, epochs_.end());
  trained.epoch_metrics.assign(epoch_metrics_.begin() + earlier * static_cast<std::ptrdiff_t>(metric_count_),
                               epoch_metrics_.end());
  for (EpochResult& epoch : trained.epochs) epoch.iteration = result.iteration;
}

void TrainingLoop::save(ByteWriter& state) const {
  const auto& [epochs, batches, steps, loss_sum, training_loss, validation_seconds, awaits_validation, diverged] =
      state_;
  for (const std::int64_t count : {epochs, batches, steps}) state.put(count);
  for (const double value : {loss_sum, training_loss, validation_seconds, validated_.loss, validated_.score})
    state.put(value);
  for (const bool flag : {awaits_validation, diverged}) state.put(flag);
  rate_.save(state);
  best_.save(state);
  state.put_list(validated_.metrics);
  state.put_list(epochs_);
  state.put_list(epoch_metrics_);
}

void TrainingLoop::restore(ByteReader& state) {
  State found;
  for (std::int64_t* count : {&found.epochs, &found.batches, &found.steps}) *count = state.get<std::int64_t>();
  Validation validated;
  for (double* value :
       {&found.loss_sum, &found.training_loss, &found.validation_seconds, &validated.loss, &validated.score})
    *value = state.get<double>();
  for (bool* flag : {&found.awaits_validation, &found.diverged}) *flag = state.get<bool>();
  require(found.epochs >= 0 && found.epochs <= range_.end && found.batches >= 0 && found.batches < epoch_batches_ &&
              found.steps == found.epochs * epoch_batches_ + found.batches && found.steps <= end_step_,
          "its epochs and steps do not match this training");
  // The state may be from the end of any earlier stage.
  const bool is_validated =
      found.epochs <= range_.begin ? validation_.any() : validation_.follows(found.epochs, range_.end);
  require(!found.awaits_validation || (found.batches == 0 && is_validated),
          "it expects a validation that this training does not do");
  LearningRate rate = rate_;
  rate.restore(state);
  BestEpoch best = best_;
  best.restore(state, found.epochs);
  validated.metrics = state.get_list<std::vector<double>>();
  auto epochs = state.get_list<std::vector<EpochResult>>();
  auto epoch_metrics = state.get_list<std::vector<double>>();
  require(static_cast<std::int64_t>(epochs.size()) == (has_curve_ ? found.epochs : 0),
          "its number of epoch results is wrong");
  require((validated.metrics.empty() || validated.metrics.size() == metric_count_) &&
              epoch_metrics.size() == epochs.size() * metric_count_,
          "its number of metrics is wrong");
  state_ = found;
  rate_ = rate;
  best_ = best;
  validated_ = std::move(validated);
  epochs_ = std::move(epochs);
  epoch_metrics_ = std::move(epoch_metrics);
}

}  // namespace sheaf
