// SPDX-License-Identifier: MIT
#include "training/streamed_training.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"

namespace sheaf {
namespace {

template <class Value>
void append_row(const Value* values, std::int64_t row, std::int64_t width, std::vector<Value>& to) {
  if (values != nullptr) to.insert(to.end(), values + row * width, values + (row + 1) * width);
}

template <class Value>
const Value* data_or_null(const std::vector<Value>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

StreamedTraining::StreamedTraining(const TrainingContext& context, const Iteration& iteration,
                                   std::unique_ptr<Trainer> trainer)
    : context_(context),
      trial_(context.plan.trial(iteration.trial)),
      split_(context.splits->split(iteration.repeat, iteration.fold)),
      scaling_(context.splits->scaling(iteration.repeat, iteration.fold, scaling_kind(trial_))),
      trainer_(std::move(trainer)),
      training_(context, iteration, trial_, context.plan.stage(iteration.stage),
                {*context.data, *split_, *scaling_,
                 split_->validation_rows.empty() ? ValidationEpochs{} : context.stream->options().validation,
                 windows_of_pass()},
                *trainer_) {
  training_.start();
  training_.restore([&](ByteReader& state) { restore(state); },
                    [&] {
                      windows_ = used_rows_ = 0;
                      left_over_ = {};
                    });
}

void StreamedTraining::restore(ByteReader& state) {
  windows_ = state.get<std::int64_t>();
  used_rows_ = state.get<std::int64_t>();
  left_over_.restore(state);
  require(windows_ >= 0 && windows_ < windows_of_pass(), "its window number is out of range");
  require(used_rows_ >= 0 && used_rows_ <= rows_in_window(training_.loop().epochs(), windows_),
          "its position is outside its window");
  require(left_over_.count >= 0 && left_over_.count < training_.batch_size() && left_over_.fits(*context_.data),
          "its rows do not match the data");
  std::int64_t passed = used_rows_;
  for (std::int64_t window = 0; window < windows_; ++window)
    passed += rows_in_window(training_.loop().epochs(), window);
  require(training_.loop().batches() * training_.batch_size() + left_over_.count == passed,
          "its batches do not match its windows");
}

// The number of training rows in a window.
std::int64_t StreamedTraining::rows_in_window(std::int64_t epoch, std::int64_t window) const {
  const StreamOptions& stream = context_.stream->options();
  const auto order = stream.block_order({true, epoch});
  const IndexRange positions = stream.plan.blocks_of(window);
  std::int64_t count = 0;
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    training_.rows().for_each(stream.plan.rows_of(order[static_cast<std::size_t>(position)]),
                              [&](std::int64_t) { ++count; });
  return count;
}

std::int64_t StreamedTraining::windows_of_pass() const {
  return context_.stream->options().plan.windows();
}

void StreamedTraining::save() {
  training_.save(seconds_, [&](ByteWriter& state) {
    state.put(windows_);
    state.put(used_rows_);
    left_over_.save(state);
  });
}

std::int64_t StreamedTraining::next_window() const {
  const auto validation = context_.stream->options().validation;
  return next_pass(training_.loop().epochs(), awaits_validation(), validation) * windows_of_pass() + windows_;
}

void StreamedTraining::use(const Window& window, const std::function<bool()>& should_stop) {
  if (is_done() || window.pass.training == awaits_validation()) return;
  const auto start = Clock::now();
  const bool validates = awaits_validation();
  if (validates) {  // any pass contains the validation rows
    if (evaluate(window, should_stop) && window.last) training_.end_validation();
  } else if (window.pass.epoch == training_.loop().epochs() && window.number == windows_) {
    train(window, should_stop);
  }
  training_.cut_if_due();
  const double seconds = seconds_since(start);
  seconds_ += seconds;
  if (validates) training_.add_validation_seconds(seconds);
  if (training_.must_save()) save();
}

// The rows of the window's data that belong to `rows`.
std::vector<std::int64_t> StreamedTraining::row_numbers(const Window& window, const RowSet& rows) const {
  std::size_t count = 0;
  for (const auto& block : window.blocks) rows.for_each(block.rows, [&](std::int64_t) { ++count; });
  std::vector<std::int64_t> numbers;
  numbers.reserve(count);
  for (const auto& block : window.blocks)
    rows.for_each(block.rows, [&](std::int64_t row) { numbers.push_back(block.offset + row - block.rows.begin); });
  return numbers;
}

void StreamedTraining::LeftOver::save(ByteWriter& state) const {
  state.put(count);
  state.put_list(features);
  state.put_list(bytes);
  state.put_list(labels);
  state.put_list(targets);
  state.put_list(weights);
}

void StreamedTraining::LeftOver::restore(ByteReader& state) {
  count = state.get<std::int64_t>();
  features = state.get_list<std::vector<float>>();
  bytes = state.get_list<std::vector<std::uint8_t>>();
  labels = state.get_list<std::vector<std::int64_t>>();
  targets = state.get_list<std::vector<float>>();
  weights = state.get_list<std::vector<float>>();
}

// Whether all lists have the expected length and all labels are classes of the data.
bool StreamedTraining::LeftOver::fits(const DataSet& data) const {
  const auto has = [this](std::size_t size, bool is_used, std::int64_t width) {
    return static_cast<std::int64_t>(size) == (is_used ? count * width : 0);
  };
  const auto is_class = [&data](std::int64_t label) { return label >= 0 && label < data.output_count; };
  return has(features.size(), bytes.empty(), data.feature_count) &&
         has(bytes.size(), features.empty(), data.feature_count) && has(labels.size(), data.labels != nullptr, 1) &&
         has(targets.size(), data.targets != nullptr, data.output_count) &&
         has(weights.size(), data.weights != nullptr, 1) && std::all_of(labels.begin(), labels.end(), is_class);
}

void StreamedTraining::add_left_over(const DataSet& data, std::int64_t row) {
  append_row(data.features, row, data.feature_count, left_over_.features);
  append_row(data.byte_features, row, data.feature_count, left_over_.bytes);
  append_row(data.labels, row, 1, left_over_.labels);
  append_row(data.targets, row, data.output_count, left_over_.targets);
  append_row(data.weights, row, 1, left_over_.weights);
  ++left_over_.count;
}

void StreamedTraining::train_left_over() {
  if (left_over_.count == 0) return;
  DataSet data = *context_.data;
  data.rows = left_over_.count;
  data.features = data_or_null(left_over_.features);
  data.byte_features = data_or_null(left_over_.bytes);
  data.labels = data_or_null(left_over_.labels);
  data.targets = data_or_null(left_over_.targets);
  data.weights = data_or_null(left_over_.weights);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(left_over_.count));
  std::iota(rows.begin(), rows.end(), 0);
  train_rows(data, rows.data(), left_over_.count);
  left_over_ = {};
}

// `count` is a multiple of the batch size, except for the last batch of the epoch.
void StreamedTraining::train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count) {
  trainer_->read_from(data);
  training_.train(rows, count);
}

// Trains on the remaining rows of the window. Returns early if `should_stop` returns true.
void StreamedTraining::train(const Window& window, const std::function<bool()>& should_stop) {
  auto rows = row_numbers(window, training_.rows());
  const auto count = static_cast<std::int64_t>(rows.size());
  if (trial_.train.shuffle)
    shuffle_window(rows.data(), count, training_.iteration().seed, window.pass.epoch, window.number);
  if (left_over_.count > 0) {
    for (; used_rows_ < count && left_over_.count < training_.batch_size(); ++used_rows_)
      add_left_over(window.data, rows[static_cast<std::size_t>(used_rows_)]);
    if (left_over_.count == training_.batch_size()) train_left_over();
  }
  while (count - used_rows_ >= training_.batch_size() && !is_done()) {
    if (should_stop()) return;
    const auto start = Clock::now();
    const std::int64_t whole_batches =
        std::min((count - used_rows_) / training_.batch_size(), training_.loop().batches_left());
    const std::int64_t batches = training_.batches_to_line(std::min(piece_.batches(), whole_batches));
    train_rows(window.data, rows.data() + used_rows_, batches * training_.batch_size());
    used_rows_ += batches * training_.batch_size();
    piece_.update(batches, seconds_since(start));
  }
  if (is_done()) return;  // a refit, within an epoch
  for (; used_rows_ < count; ++used_rows_) add_left_over(window.data, rows[static_cast<std::size_t>(used_rows_)]);
  used_rows_ = 0;
  ++windows_;
  if (!window.last) return;
  train_left_over();
  windows_ = 0;
}

// Returns false if `should_stop` ended it.
bool StreamedTraining::evaluate(const Window& window, const std::function<bool()>& should_stop) {
  if (window.number == 0) training_.begin_validation();  // a new pass, perhaps after an interrupted one
  const auto evaluate_rows = [&](HeldOutRows kind, const RowSet& held_out) {
    const auto rows = row_numbers(window, held_out);
    if (rows.empty()) return true;
    trainer_->read_from(window.data);
    return training_.evaluate(kind, rows.data(), static_cast<std::int64_t>(rows.size()), should_stop);
  };
  return evaluate_rows(HeldOutRows::validation, split_->validation_rows) &&
         evaluate_rows(HeldOutRows::stopping, split_->stopping_rows);
}

TrainedIteration StreamedTraining::finish() {
  return training_.finish(training_.earlier_seconds() + seconds_);
}

}  // namespace sheaf
