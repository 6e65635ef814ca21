// SPDX-License-Identifier: MIT
#include "training/metrics/evaluation_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/aligned_vector.hpp"
#include "core/padding.hpp"
#include "training/losses/loss_kernels.hpp"
#include "training/losses/reduction.hpp"
#include "training/metrics/pointwise.hpp"

namespace sheaf {
namespace {

// The maximum number of rows for one call of the cross entropy kernel.
constexpr std::int64_t group_rows = 128;
static_assert(group_rows % padding == 0);

double cross_entropy(const float* logits, const std::int64_t* labels, std::int64_t count, std::int64_t output_count) {
  static const auto kernels = loss_kernels<double>();
  thread_local AlignedVector<double> scratch;
  const std::int64_t row_count = round_up(count, padding);
  scratch.resize(static_cast<std::size_t>((output_count + 2) * row_count));
  double* const columns = scratch.data();
  double* const label_values = columns + output_count * row_count;
  double* const weights = label_values + row_count;
  for (std::int64_t row = 0; row < count; ++row, logits += output_count) {
    for (std::int64_t output = 0; output < output_count; ++output)
      columns[output * row_count + row] = double{logits[output]};
    label_values[row] = static_cast<double>(labels[row]);
    weights[row] = 1;
  }
  for (std::int64_t column = 0; column < output_count + 2; ++column)
    std::fill(columns + column * row_count + count, columns + (column + 1) * row_count, 0.0);
  return kernels.loss(LossKind::cross_entropy, nullptr, {label_values, nullptr, weights}, 1, output_count, row_count,
                      false, columns, nullptr, nullptr);
}

// -log(probability) for a probability that may be rounded to zero.
double negative_log(double probability) {
  return -std::log(std::max(probability, double{std::numeric_limits<float>::min()}));
}

// The loss of one row with a label, for all cases except cross entropy of logits.
double label_loss(const Scoring& scoring, const float* outputs, std::int64_t label) {
  if (scoring.loss == LossKind::cross_entropy) return negative_log(double{outputs[label]});
  double sum = 0;
  for (std::int64_t output = 0; output < scoring.output_count; ++output) {
    const double value = double{outputs[output]};
    const double target = output == label ? 1 : 0;
    if (scoring.loss == LossKind::mse)
      sum += (value - target) * (value - target);
    else if (scoring.probabilities)
      sum += negative_log(output == label ? value : 1 - value);
    else
      sum += softplus(output == label ? -value : value);
  }
  return sum;
}

// Whether a metric equals the loss, so that it needs no sums of its own.
bool is_loss(MetricKind metric, const Scoring& scoring) {
  return metric == MetricKind::log_loss && scoring.loss == LossKind::cross_entropy && !scoring.probabilities;
}

}  // namespace

EvaluationSums::EvaluationSums(const Scoring& scoring) : scoring_(scoring) {
  for (const Metric& metric : metric_table)
    if (metric.family == MetricFamily::pointwise && applies_to(metric, scoring.task, scoring.loss))
      entries_.push_back({metric.kind, is_loss(metric.kind, scoring) ? nullptr : make_pointwise(metric.kind, scoring)});
}

EvaluationSums::EvaluationSums(const Scoring& scoring, const double* numbers) : EvaluationSums(scoring) {
  row_count_ = *numbers++;
  loss_sum_ = *numbers++;
  for (const Entry& entry : entries_) {
    if (!entry.accumulator) continue;
    entry.accumulator->set_numbers(numbers);
    numbers += entry.accumulator->numbers().size();
  }
}

std::vector<double> EvaluationSums::numbers() const {
  std::vector<double> all = {row_count_, loss_sum_};
  for (const Entry& entry : entries_) {
    if (!entry.accumulator) continue;
    const auto& numbers = entry.accumulator->numbers();
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

void EvaluationSums::add(const ScoredRows& rows) {
  row_count_ += static_cast<double>(rows.count);
  loss_sum_ = scoring_.task == Task::classification ? label_losses(rows, loss_sum_) : target_losses(rows, loss_sum_);
  for (const Entry& entry : entries_)
    if (entry.accumulator) entry.accumulator->add(rows);
}

// Returns `sum` plus the losses of the rows.
double EvaluationSums::label_losses(const ScoredRows& rows, double sum) const {
  const std::int64_t width = scoring_.output_count;
  if (scoring_.loss == LossKind::cross_entropy && !scoring_.probabilities) {
    for (std::int64_t row = 0; row < rows.count; row += group_rows)
      sum +=
          cross_entropy(rows.outputs + row * width, rows.labels + row, std::min(group_rows, rows.count - row), width);
  } else {
    for (std::int64_t row = 0; row < rows.count; ++row)
      sum += label_loss(scoring_, rows.outputs + row * width, rows.labels[row]);
  }
  return sum;
}

// The loss of every regression is mse.
double EvaluationSums::target_losses(const ScoredRows& rows, double sum) const {
  for (std::int64_t index = 0; index < rows.count * scoring_.output_count; ++index) {
    const double residual = double{rows.targets[index]} - double{rows.outputs[index]};
    sum += residual * residual;
  }
  return sum;
}

void EvaluationSums::append(const EvaluationSums& later) {
  row_count_ += later.row_count_;
  loss_sum_ += later.loss_sum_;
  for (std::size_t number = 0; number < entries_.size(); ++number)
    if (entries_[number].accumulator) entries_[number].accumulator->append(*later.entries_[number].accumulator);
}

double EvaluationSums::loss() const {
  return loss_sum_ / row_count_ / terms_per_row(scoring_.loss, scoring_.output_count);
}

std::vector<MetricValue> EvaluationSums::metrics() const {
  std::vector<MetricValue> values;
  for (const Entry& entry : entries_)
    values.push_back({entry.metric, entry.accumulator ? entry.accumulator->value() : loss()});
  return values;
}

}  // namespace sheaf
