// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluation_lane.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "models/predictions.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf {
namespace {

// The confusion matrix is computed only if there are at most this many classes.
constexpr std::int64_t max_confused_classes = 256;

// A GPU predicts this much at once, a core one batch.
constexpr std::int64_t gpu_batch_bytes = std::int64_t{32} << 20;

// Limit of the outputs that a lane computes at once.
constexpr std::int64_t outputs_bytes = std::int64_t{8} << 20, gpu_outputs_bytes = std::int64_t{64} << 20;

std::int64_t rows_of_outputs(const EvaluatedModel& evaluated, LaneDevice device) {
  const auto row_bytes = evaluated.scoring.output_count * static_cast<std::int64_t>(sizeof(float));
  return std::max<std::int64_t>(1, (device.on_gpu() ? gpu_outputs_bytes : outputs_bytes) / row_bytes);
}

}  // namespace

std::int64_t rows_at_once(const EvaluatedModel& evaluated, LaneDevice device) {
  const auto row_bytes = evaluated.rows->feature_count() * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t rows = (device.on_gpu() ? gpu_batch_bytes : evaluated_batch_bytes) / row_bytes;
  return std::clamp<std::int64_t>(rows, 1, rows_of_outputs(evaluated, device));
}

OrderedResult::OrderedResult(const EvaluatedModel& evaluated) : sums(evaluated.scoring, evaluated.functions) {
  if (evaluated.has_weights() && evaluated.predicts_probabilities()) counts.emplace(evaluated.scoring.output_count);
}

OrderedResult::OrderedResult(const EvaluatedModel& evaluated, const double* numbers) : OrderedResult(evaluated) {
  const double* const of_counts = numbers + sums.numbers().size();
  sums = EvaluationSums(evaluated.scoring, evaluated.functions, numbers);
  if (counts) counts = ClassCounts(std::vector<double>(of_counts, of_counts + counts->numbers().size()));
}

void OrderedResult::add(const ScoredRows& rows) {
  sums.add(rows);
  if (counts) counts->add(rows);
}

void OrderedResult::append(const OrderedResult& later) {
  sums.append(later.sums);
  if (counts) counts->append(*later.counts);
}

std::vector<double> OrderedResult::numbers() const {
  std::vector<double> all = sums.numbers();
  if (counts) all.insert(all.end(), counts->numbers().begin(), counts->numbers().end());
  return all;
}

UnorderedResult::UnorderedResult(const EvaluatedModel& evaluated, bool keeps_rows) {
  if (keeps_rows) ranked.emplace(evaluated.scoring);
  if (!evaluated.predicts_probabilities()) return;
  const std::int64_t classes = evaluated.scoring.output_count;
  if (evaluated.scoring.task == Task::classification && classes <= max_confused_classes) {
    confused_classes = classes;
    confusion.resize(static_cast<std::size_t>(classes * classes));
  }
  if (!evaluated.has_weights()) counts.emplace(classes);
}

void UnorderedResult::add(const ScoredRows& rows) {
  for (std::int64_t row = 0; row < rows.count && !confusion.empty(); ++row)
    ++confusion[static_cast<std::size_t>(rows.labels[row] * confused_classes + rows.predicted_labels[row])];
  if (counts) counts->add(rows);
  if (ranked) ranked->add(rows);
}

void UnorderedResult::append(const UnorderedResult& other) {
  for (std::size_t index = 0; index < confusion.size(); ++index) confusion[index] += other.confusion[index];
  if (counts) counts->append(*other.counts);
  if (ranked) ranked->append(*other.ranked);
}

EvaluationLane::EvaluationLane(const EvaluatedModel& evaluated, const RunOptions& run, LaneDevice device,
                               const PredictionFile* predictions, bool keeps_rows)
    : evaluated_(evaluated),
      predictions_(predictions),
      unordered_(evaluated, keeps_rows),
      reader_(evaluated.rows->make_reader(evaluated.reader_options())),
      predictor_(evaluated.models, evaluated.model_weights, evaluated.rows->row_shape(), evaluated.scoring, run,
                 device) {
  const std::int64_t batch_rows = evaluated.rows->rows_of({0, 1}).count();
  const auto batch_bytes = batch_rows * evaluated.rows->feature_count() * static_cast<std::int64_t>(sizeof(float));
  if (device.on_gpu()) batches_at_once_ = std::max<std::int64_t>(1, gpu_batch_bytes / batch_bytes);
  rows_at_once_ = rows_of_outputs(evaluated, device);
}

OrderedResult EvaluationLane::evaluate(IndexRange batches) {
  OrderedResult result(evaluated_);
  for (std::int64_t begin = batches.begin; begin < batches.end; begin += batches_at_once_)
    evaluate_rows(evaluated_.rows->rows_of({begin, std::min(begin + batches_at_once_, batches.end)}), result);
  return result;
}

void EvaluationLane::evaluate_rows(IndexRange rows, OrderedResult& result) {
  reader_->read(rows);
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += rows_at_once_)
    evaluate_part({begin, std::min(begin + rows_at_once_, rows.end)}, begin - rows.begin, result);
}

void EvaluationLane::evaluate_part(IndexRange rows, std::int64_t first, OrderedResult& result) {
  const Scoring& scoring = evaluated_.scoring;
  outputs_.resize(static_cast<std::size_t>(rows.count() * scoring.output_count));
  predict(first, rows.count());
  // Of a single model, before logits are converted to probabilities, since rounding may make two of them equal.
  predict_labels(scoring, evaluated_.threshold, outputs_.data(), rows.count(), labels_);
  if (evaluated_.rows->targets() != nullptr) add_to(result, first, rows.count());
  if (predictions_ == nullptr) return;
  if (evaluated_.models.size() == 1 && evaluated_.predicts_probabilities() && !evaluated_.gives_probabilities)
    make_predictions(scoring.loss.kind, scoring.output_count, outputs_.data(), rows.count());
  predictions_->write(rows, outputs_.data(), labels_.data());
}

void EvaluationLane::predict(std::int64_t first, std::int64_t count) {
  const std::int64_t skipped = first * evaluated_.rows->feature_count();
  const auto fill = [&](std::size_t model) {
    const float* const filled = reader_->filled_features(evaluated_.fills[model]);
    return filled == nullptr ? nullptr : filled + skipped;
  };
  const bool all_finite = predictor_.predict(reader_->features() + skipped, count, fill, outputs_.data());
  require_finite_outputs(all_finite, evaluated_);
}

void EvaluationLane::add_to(OrderedResult& result, std::int64_t first, std::int64_t count) {
  const bool classes = evaluated_.scoring.task == Task::classification;
  const float* const targets =
      classes ? nullptr
              : targets_of_outputs(evaluated_, reader_->targets() + first * evaluated_.target_columns(), count,
                                   repeated_targets_);
  const std::int64_t* const labels = classes ? reader_->labels() + first : nullptr;
  const float* const weights = evaluated_.has_weights() ? reader_->weights() + first : nullptr;
  const ScoredRows rows{count, outputs_.data(), labels_.data(), labels, targets, weights};
  result.add(rows);
  unordered_.add(rows);
}

}  // namespace sheaf
