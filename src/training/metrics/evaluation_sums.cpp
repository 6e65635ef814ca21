// SPDX-License-Identifier: MIT
#include "training/metrics/evaluation_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/aligned_vector.hpp"
#include "core/padding.hpp"
#include "training/losses/loss_kernels.hpp"

namespace sheaf {
namespace {

// Places in the numbers.
enum Place : std::size_t { row_count, loss_sum, right_count, first_output };
enum OutputPlace : std::size_t { mean, squares, residuals, per_output };

// log(1 + exp(x)) without overflow.
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

// The summed losses of so many rows at most are computed at once.
constexpr std::int64_t group_rows = 128;
static_assert(group_rows % padding == 0);

double cross_entropy(const float* logits, const std::int64_t* labels, std::int64_t count, std::int64_t output_count) {
  static const auto kernels = loss_kernels<double>();
  thread_local AlignedVector<double> scratch;
  const std::int64_t row_count = round_up(count, padding);
  scratch.resize(static_cast<std::size_t>((output_count + 2) * row_count));
  double* const columns = scratch.data();
  double* const places = columns + output_count * row_count;
  double* const weights = places + row_count;
  for (std::int64_t row = 0; row < count; ++row, logits += output_count) {
    for (std::int64_t output = 0; output < output_count; ++output)
      columns[output * row_count + row] = double{logits[output]};
    places[row] = static_cast<double>(labels[row]);
    weights[row] = 1;
  }
  for (std::int64_t column = 0; column < output_count + 2; ++column)
    std::fill(columns + column * row_count + count, columns + (column + 1) * row_count, 0.0);
  return kernels.loss(LossKind::cross_entropy, nullptr, {places, nullptr, weights}, 1, output_count, row_count, false,
                      columns, nullptr, nullptr);
}

// -log of a probability that may have been rounded to zero.
double surprise(double probability) {
  return -std::log(std::max(probability, double{std::numeric_limits<float>::min()}));
}

// But for the cross entropy of logits.
double label_loss(const Scoring& scoring, const float* outputs, std::int64_t label) {
  if (scoring.loss == LossKind::cross_entropy) return surprise(double{outputs[label]});
  double sum = 0;
  for (std::int64_t output = 0; output < scoring.output_count; ++output) {
    const double value = double{outputs[output]};
    const double target = output == label ? 1 : 0;
    if (scoring.loss == LossKind::mse)
      sum += (value - target) * (value - target);
    else if (scoring.probabilities)
      sum += surprise(output == label ? value : 1 - value);
    else
      sum += softplus(output == label ? -value : value);
  }
  return sum;
}

}  // namespace

// Without branches, which would be guessed wrong for every other row.
std::int64_t predicted_label(const float* outputs, std::int64_t output_count) {
  std::int64_t label = 0;
  float largest = outputs[0];
  for (std::int64_t output = 1; output < output_count; ++output) {
    const bool larger = largest < outputs[output];
    label = larger ? output : label;
    largest = larger ? outputs[output] : largest;
  }
  return label;
}

std::int64_t EvaluationSums::number_count(const Scoring& scoring) {
  const bool per_outputs = scoring.task == Task::regression;
  return static_cast<std::int64_t>(first_output) +
         (per_outputs ? static_cast<std::int64_t>(per_output) * scoring.output_count : 0);
}

EvaluationSums::EvaluationSums(const Scoring& scoring)
    : scoring_(scoring), numbers_(static_cast<std::size_t>(number_count(scoring))) {}

EvaluationSums::EvaluationSums(const Scoring& scoring, const double* numbers)
    : scoring_(scoring), numbers_(numbers, numbers + number_count(scoring)) {}

void EvaluationSums::add_labels(const float* outputs, const std::int64_t* predicted, const std::int64_t* labels,
                                std::int64_t count) {
  const std::int64_t width = scoring_.output_count;
  const bool of_logits = scoring_.loss == LossKind::cross_entropy && !scoring_.probabilities;
  numbers_[row_count] += static_cast<double>(count);
  for (std::int64_t row = 0; row < count; ++row) {
    numbers_[right_count] += predicted[row] == labels[row] ? 1 : 0;
    if (!of_logits) numbers_[loss_sum] += label_loss(scoring_, outputs + row * width, labels[row]);
  }
  for (std::int64_t row = 0; of_logits && row < count; row += group_rows)
    numbers_[loss_sum] += cross_entropy(outputs + row * width, labels + row, std::min(group_rows, count - row), width);
}

void EvaluationSums::add_targets(const float* outputs, const float* targets, std::int64_t count) {
  for (std::int64_t row = 0; row < count; ++row)
    add_row(outputs + row * scoring_.output_count, targets + row * scoring_.output_count);
}

// Mean and squares about it as they run. Source: Welford, Technometrics 1962.
void EvaluationSums::add_row(const float* outputs, const float* targets) {
  numbers_[row_count] += 1;
  const double weight = 1 / numbers_[row_count];
  double* sums = numbers_.data() + first_output;
  for (std::int64_t output = 0; output < scoring_.output_count; ++output, sums += per_output) {
    const double target = double{targets[output]};
    const double residual = target - double{outputs[output]};
    const double distance = target - sums[mean];
    sums[mean] += distance * weight;
    sums[squares] += distance * (target - sums[mean]);
    sums[residuals] += residual * residual;
    numbers_[loss_sum] += residual * residual;
  }
}

// Source: Chan, Golub and LeVeque, The American Statistician 1983.
void EvaluationSums::append(const EvaluationSums& later) {
  const double rows = numbers_[row_count], more = later.numbers_[row_count];
  if (more == 0) return;
  for (std::size_t place = first_output; place < numbers_.size(); place += per_output) {
    double* sums = numbers_.data() + place;
    const double* others = later.numbers_.data() + place;
    const double distance = others[mean] - sums[mean];
    sums[mean] += distance * more / (rows + more);
    sums[squares] += others[squares] + distance * distance * rows * more / (rows + more);
    sums[residuals] += others[residuals];
  }
  for (const Place place : {row_count, loss_sum, right_count}) numbers_[place] += later.numbers_[place];
}

double EvaluationSums::loss() const {
  const double per_row = numbers_[loss_sum] / numbers_[row_count];
  return scoring_.loss == LossKind::cross_entropy ? per_row : per_row / static_cast<double>(scoring_.output_count);
}

double EvaluationSums::score() const {
  if (scoring_.task == Task::classification) return numbers_[right_count] / numbers_[row_count];
  double sum = 0;
  for (std::size_t place = first_output; place < numbers_.size(); place += per_output) {
    const double total = numbers_[place + squares], residual = numbers_[place + residuals];
    if (total == 0)
      sum += residual == 0 ? 1 : 0;
    else
      sum += 1 - residual / total;
  }
  return sum / static_cast<double>(scoring_.output_count);
}

}  // namespace sheaf
