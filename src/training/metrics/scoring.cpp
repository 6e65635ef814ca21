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

double label_log_probability(const Scoring& scoring, const float* outputs, std::int64_t label) {
  const double output = double{outputs[label]};
  if (scoring.link() == Link::none) return std::numeric_limits<double>::quiet_NaN();
  if (scoring.probabilities) {
    constexpr double least = std::numeric_limits<double>::epsilon();
    return std::isnan(output) ? output : std::log(std::clamp(output, least, 1 - least));
  }
  if (scoring.link() == Link::sigmoid) return -softplus(-output);
  const RowScale scale = row_scale(scoring, outputs);
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

}  // namespace sheaf
