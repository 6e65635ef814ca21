// SPDX-License-Identifier: MIT
#include "engine/streamed_course.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/score.hpp"
#include "model/initial_weights.hpp"
#include "plan/estimate.hpp"

namespace sheaf {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

template <class Value>
void append_row(const Value* values, std::int64_t place, std::int64_t width, std::vector<Value>& to) {
  if (values != nullptr) to.insert(to.end(), values + place * width, values + (place + 1) * width);
}

template <class Value>
const Value* data_or_null(const std::vector<Value>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

StreamedCourse::StreamedCourse(const TrainingContext& context, const Iteration& iteration,
                               std::unique_ptr<Trainer> trainer, TrainedBy engine)
    : context_(context),
      trial_(context.plan.trials()[static_cast<std::size_t>(iteration.trial)]),
      split_(context.splits->split(iteration.repeat, iteration.fold)),
      rows_(context.study.ensemble.bootstrap ? bootstrap_rows(split_->training_rows, iteration.seed)
                                             : split_->training_rows),
      batch_size_(std::min(trial_.train.batch_size, static_cast<std::int64_t>(rows_.size()))),
      layers_(network_layout(trial_.model, shape_of(*context.data, context.study.data))),
      weights_(initial_weights(layers_, trial_.model.initialisation, iteration.seed)),
      trainer_(std::move(trainer)) {
  trained_.record.iteration = iteration.number;
  trained_.record.status = IterationStatus::finished;
  trained_.record.engine = engine;
  trainer_->start({trial_, layers_, weights_, *context.data, *split_, rows_, iteration.seed,
                   shape_of(*context.data, context.study.data)});
}

void StreamedCourse::use(const Window& window) {
  const auto start = std::chrono::steady_clock::now();
  const bool finished = trained_.record.status == IterationStatus::finished;
  if (finished && window.pass.training && window.pass.epoch < trial_.train.epochs) {
    train(window);
    if (window.last) end_epoch();
  } else if (finished && !window.pass.training &&
             (!context_.study.run.curves || window.pass.epoch + 1 == trained_.record.epochs)) {
    evaluate(window);
    if (window.last) end_validation();
  }
  trained_.record.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Where `rows`, which ascend, lie in the window.
std::vector<std::int64_t> StreamedCourse::places_in(const Window& window, const std::vector<std::int64_t>& rows) const {
  std::vector<std::int64_t> places;
  for (const auto& block : window.blocks) {
    const auto begin = std::lower_bound(rows.begin(), rows.end(), block.rows.begin);
    for (auto row = begin; row != rows.end() && *row < block.rows.end; ++row)
      places.push_back(block.place + *row - block.rows.begin);
  }
  return places;
}

void StreamedCourse::keep_row(const DataSet& data, std::int64_t place) {
  append_row(data.features, place, data.feature_count, left_over_.features);
  append_row(data.byte_features, place, data.feature_count, left_over_.bytes);
  append_row(data.labels, place, 1, left_over_.labels);
  append_row(data.targets, place, data.output_count, left_over_.targets);
  append_row(data.weights, place, 1, left_over_.weights);
  ++left_over_.count;
}

void StreamedCourse::train_left_over() {
  if (left_over_.count == 0) return;
  DataSet data = *context_.data;
  data.rows = left_over_.count;
  data.features = data_or_null(left_over_.features);
  data.byte_features = data_or_null(left_over_.bytes);
  data.labels = data_or_null(left_over_.labels);
  data.targets = data_or_null(left_over_.targets);
  data.weights = data_or_null(left_over_.weights);
  std::vector<std::int64_t> places(static_cast<std::size_t>(left_over_.count));
  std::iota(places.begin(), places.end(), 0);
  loss_sum_ += trainer_->train_rows(data, places.data(), left_over_.count);
  left_over_ = {};
}

void StreamedCourse::train(const Window& window) {
  auto places = places_in(window, rows_);
  const auto count = static_cast<std::int64_t>(places.size());
  if (trial_.train.shuffle)
    shuffle_window(places.data(), count, context_.plan.iteration(trained_.record.iteration).seed, window.pass.epoch,
                   window.number);
  std::int64_t begin = 0;
  if (left_over_.count > 0) {
    for (; begin < count && left_over_.count < batch_size_; ++begin)
      keep_row(window.data, places[static_cast<std::size_t>(begin)]);
    if (left_over_.count == batch_size_) train_left_over();
  }
  const std::int64_t whole = (count - begin) / batch_size_ * batch_size_;
  if (whole > 0) loss_sum_ += trainer_->train_rows(window.data, places.data() + begin, whole);
  for (begin += whole; begin < count; ++begin) keep_row(window.data, places[static_cast<std::size_t>(begin)]);
}

void StreamedCourse::end_epoch() {
  train_left_over();
  IterationRecord& record = trained_.record;
  record.final_loss =
      trial_.train.reduction == Reduction::mean ? loss_sum_ / static_cast<double>(rows_.size()) : loss_sum_;
  loss_sum_ = 0;
  ++record.epochs;
  if (!std::isfinite(record.final_loss)) record.status = IterationStatus::diverged;
  if (context_.study.run.curves)
    trained_.epochs.push_back({record.iteration, record.epochs - 1, record.final_loss, none, none});
}

void StreamedCourse::evaluate(const Window& window) {
  if (window.number == 0) outputs_.clear();
  const auto places = places_in(window, split_->validation_rows);
  if (places.empty()) return;
  loss_sum_ += trainer_->evaluate_rows(window.data, places.data(), static_cast<std::int64_t>(places.size()), outputs_);
}

void StreamedCourse::end_validation() {
  IterationRecord& record = trained_.record;
  const auto& rows = split_->validation_rows;
  record.validation_loss =
      trial_.train.reduction == Reduction::mean ? loss_sum_ / static_cast<double>(rows.size()) : loss_sum_;
  record.validation_score = prediction_score(outputs_, *context_.data, rows);
  loss_sum_ = 0;
  if (trained_.epochs.empty()) return;
  trained_.epochs.back().validation_loss = record.validation_loss;
  trained_.epochs.back().validation_score = record.validation_score;
}

TrainedIteration StreamedCourse::finish() {
  IterationRecord& record = trained_.record;
  record.steps = trainer_->steps();
  if (record.status == IterationStatus::diverged)
    record.validation_loss = record.validation_score = none;
  else
    add_products(context_, trial_, *split_, *trainer_, std::move(outputs_), trained_);
  return std::move(trained_);
}

}  // namespace sheaf
