// SPDX-License-Identifier: MIT
#include "training/metrics/scoring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sheaf {
namespace {

// The sum of exp(output - largest).
double sum_of_powers(const float* outputs, std::int64_t count, double largest) {
  double sum = 0;
  for (const float* output = outputs; output != outputs + count; ++output) sum += std::exp(double{*output} - largest);
  return sum;
}

}  // namespace

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

namespace {

double log_of_probability(double value) {
  return std::log(clipped_probability(value));
}

}  // namespace

double binary_log_probability(const Scoring& scoring, float output, bool has_label) {
  const double value = double{output};
  if (scoring.probabilities) return log_of_probability(has_label ? value : 1 - value);
  return -softplus(has_label ? -value : value);
}

double label_log_probability(const Scoring& scoring, const float* outputs, const RowScale& scale, std::int64_t label) {
  const double output = double{outputs[label]};
  if (scoring.link() == Link::none) return std::numeric_limits<double>::quiet_NaN();
  if (scoring.probabilities) return log_of_probability(output);
  if (scoring.link() == Link::sigmoid) return -softplus(-output);
  return output - scale.largest - std::log(scale.sum);
}

RowScale row_scale(const Scoring& scoring, const float* outputs) {
  if (scoring.probabilities || scoring.link() != Link::softmax) return {};
  const double largest = double{*std::max_element(outputs, outputs + scoring.output_count)};
  return {largest, sum_of_powers(outputs, scoring.output_count, largest)};
}

double class_probability(const Scoring& scoring, const float* outputs, const RowScale& scale, std::int64_t label) {
  const double output = double{outputs[label]};
  if (scoring.probabilities || scoring.link() == Link::none) return output;
  return scoring.link() == Link::sigmoid ? 1 / (1 + std::exp(-output)) : std::exp(output - scale.largest) / scale.sum;
}

void RowProbabilities::compute(const Scoring& scoring, const float* outputs, std::int64_t rows) {
  width_ = scoring.output_count;
  values_.resize(static_cast<std::size_t>(rows * width_));
  scales_.assign(static_cast<std::size_t>(rows), RowScale());
  const bool has_scale = !scoring.probabilities && scoring.link() == Link::softmax;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const of_row = outputs + row * width_;
    double* const values = values_.data() + row * width_;
    if (!has_scale) {
      for (std::int64_t label = 0; label < width_; ++label)
        values[label] = class_probability(scoring, of_row, {}, label);
      continue;
    }
    // As row_scale() and class_probability(), with one exp() per output.
    const double largest = double{*std::max_element(of_row, of_row + width_)};
    double sum = 0;
    for (std::int64_t label = 0; label < width_; ++label)
      sum += values[label] = std::exp(double{of_row[label]} - largest);
    for (std::int64_t label = 0; label < width_; ++label) values[label] /= sum;
    scales_[static_cast<std::size_t>(row)] = {largest, sum};
  }
}

}  // namespace sheaf
