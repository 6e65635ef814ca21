// SPDX-License-Identifier: MIT
#include "training/metrics/evaluation_sums.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/aligned_vector.hpp"
#include "core/padding.hpp"
#include "study/losses.hpp"
#include "training/losses/loss_kernels.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

// The maximum number of rows for one call of a loss kernel.
constexpr std::int64_t group_rows = 128;
static_assert(group_rows % padding == 0);

// The targets of output `output` as the kernels want them; for LossTargets::labels there is one column of labels.
double target_of(const Scoring& scoring, const ScoredRows& rows, std::int64_t row, std::int64_t output) {
  if (scoring.task != Task::classification) return double{rows.targets[row * scoring.output_count + output]};
  if (loss_of(scoring.loss.kind).targets == LossTargets::labels) return static_cast<double>(rows.labels[row]);
  return rows.labels[row] == output ? 1 : 0;
}

// The sum of the losses of at most group_rows rows, from row `first` on.
double loss_of_group(const Scoring& scoring, const ScoredRows& rows, std::int64_t first, std::int64_t count) {
  static const auto kernels = loss_kernels<double>();
  thread_local AlignedVector<double> scratch;
  const std::int64_t outputs = scoring.output_count, row_count = round_up(count, padding);
  const bool by_label = loss_of(scoring.loss.kind).targets == LossTargets::labels;
  const std::int64_t target_columns = by_label ? 1 : outputs;
  scratch.assign(static_cast<std::size_t>((outputs + target_columns + 1) * row_count), 0);
  double* const columns = scratch.data();
  double* const targets = columns + outputs * row_count;
  double* const weights = targets + target_columns * row_count;
  for (std::int64_t row = 0; row < count; ++row) {
    for (std::int64_t output = 0; output < outputs; ++output)
      columns[output * row_count + row] = double{rows.outputs[(first + row) * outputs + output]};
    for (std::int64_t column = 0; column < target_columns; ++column)
      targets[column * row_count + row] = target_of(scoring, rows, first + row, column);
    weights[row] = rows.weight(first + row);
  }
  const auto sum_of_outputs = [&](const LossFunction& loss, std::int64_t first_output, std::int64_t output_count) {
    const std::int64_t offset = first_output * row_count;
    return kernels.loss(loss, nullptr, {by_label ? targets : nullptr, by_label ? nullptr : targets + offset, weights},
                        1, output_count, row_count, false, columns + offset, nullptr, nullptr);
  };
  if (!loss_of(scoring.loss.kind).has_quantiles()) return sum_of_outputs(scoring.loss, 0, outputs);
  double sum = 0;
  for (std::int64_t output = 0; output < outputs; ++output)
    sum += sum_of_outputs(of_quantile(scoring.loss, scoring.quantiles[static_cast<std::size_t>(output)]), output, 1);
  return sum;
}

// -log(value) for a probability or a mean that may be rounded to zero. NaN stays NaN.
double negative_log(double value) {
  return -std::log(std::max(value, double{std::numeric_limits<float>::min()}));
}

// The sum of the Poisson losses of a row of predictions. PyTorch's definition; see loss_points-inl.hpp.
double poisson_loss(const Scoring& scoring, const float* means, const float* targets) {
  double sum = 0;
  for (std::int64_t output = 0; output < scoring.output_count; ++output)
    sum += double{means[output]} + double{targets[output]} * negative_log(double{means[output]});
  return sum;
}

// The loss of a row of probabilities.
double probability_loss(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) {
  const float* const probabilities = rows.outputs + row * scoring.output_count;
  if (scoring.link() == Link::softmax) return negative_log(double{probabilities[rows.labels[row]]});
  double sum = 0;
  for (std::int64_t output = 0; output < scoring.output_count; ++output) {
    const double value = double{probabilities[output]};
    sum += negative_log(target_of(scoring, rows, row, output) == 1 ? value : 1 - value);
  }
  return sum;
}

// Whether a metric equals the loss, so that it needs no sums of its own.
bool is_loss(const MetricFunction& metric, const Scoring& scoring) {
  return metric.kind == MetricKind::log_loss && scoring.link() == Link::softmax && !scoring.probabilities;
}

template <class Condition>
std::vector<MetricFunction> those(const std::vector<MetricFunction>& metrics, const Condition& condition) {
  std::vector<MetricFunction> chosen;
  std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(chosen), condition);
  return chosen;
}

}  // namespace

EvaluationSums::EvaluationSums(const Scoring& scoring, const std::vector<MetricFunction>& metrics)
    : scoring_(scoring),
      metrics_(
          those(metrics,
                [](const MetricFunction& metric) { return metric_of(metric.kind).family == MetricFamily::pointwise; })),
      pointwise_(scoring, those(metrics_, [&](const MetricFunction& metric) { return !is_loss(metric, scoring); })) {}

EvaluationSums::EvaluationSums(const Scoring& scoring, const std::vector<MetricFunction>& metrics,
                               const double* numbers)
    : EvaluationSums(scoring, metrics) {
  weight_sum_ = *numbers++;
  loss_sum_ = *numbers++;
  pointwise_.set_numbers(numbers);
}

std::vector<double> EvaluationSums::numbers() const {
  std::vector<double> all = {weight_sum_, loss_sum_};
  const std::vector<double> of_metrics = pointwise_.numbers();
  all.insert(all.end(), of_metrics.begin(), of_metrics.end());
  return all;
}

void EvaluationSums::add(const ScoredRows& rows) {
  for (std::int64_t row = 0; row < rows.count; ++row) weight_sum_ += rows.weight(row);
  if (scoring_.link() == Link::exponential) {
    for (std::int64_t row = 0; row < rows.count; ++row)
      loss_sum_ += rows.weight(row) * poisson_loss(scoring_, rows.outputs + row * scoring_.output_count,
                                                   rows.targets + row * scoring_.output_count);
  } else if (scoring_.probabilities && scoring_.link() != Link::none) {
    for (std::int64_t row = 0; row < rows.count; ++row)
      loss_sum_ += rows.weight(row) * probability_loss(scoring_, rows, row);
  } else {
    for (std::int64_t row = 0; row < rows.count; row += group_rows)
      loss_sum_ += loss_of_group(scoring_, rows, row, std::min(group_rows, rows.count - row));
  }
  pointwise_.add(rows);
}

void EvaluationSums::append(const EvaluationSums& later) {
  weight_sum_ += later.weight_sum_;
  loss_sum_ += later.loss_sum_;
  pointwise_.append(later.pointwise_);
}

double EvaluationSums::loss() const {
  return loss_sum_ / weight_sum_ / terms_per_row(scoring_.loss.kind, scoring_.output_count);
}

std::vector<double> EvaluationSums::values() const {
  const std::vector<double> own = pointwise_.values();
  std::vector<double> values;
  auto next = own.begin();
  for (const MetricFunction& metric : metrics_) values.push_back(is_loss(metric, scoring_) ? loss() : *next++);
  return values;
}

}  // namespace sheaf
