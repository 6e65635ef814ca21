// SPDX-License-Identifier: MIT
#include "models/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sheaf {

void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count) {
  float* const end = outputs + count * output_count;
  const Link link = loss_of(loss).link;
  if (link == Link::none) return;
  if (link == Link::exponential) {
    for (; outputs != end; ++outputs) *outputs = std::exp(*outputs);
    return;
  }
  if (link == Link::sigmoid) {
    for (; outputs != end; ++outputs) *outputs = static_cast<float>(1 / (1 + std::exp(-double{*outputs})));
    return;
  }
  for (float* row = outputs; row != end; row += output_count) {
    const double largest = double{*std::max_element(row, row + output_count)};
    double sum = 0;
    for (float* output = row; output != row + output_count; ++output) sum += std::exp(double{*output} - largest);
    for (float* output = row; output != row + output_count; ++output)
      *output = static_cast<float>(std::exp(double{*output} - largest) / sum);
  }
}

bool are_probabilities(LossKind loss, std::int64_t output_count, const float* outputs, std::int64_t count) {
  constexpr double tolerance = 1e-3;
  if (!loss_of(loss).needs_classes() || count == 0) return false;
  for (const float* row = outputs; row != outputs + count * output_count; row += output_count) {
    // The comparisons are false for NaN.
    if (!std::all_of(row, row + output_count,
                     [](float value) { return value >= -tolerance && value <= 1 + tolerance; }))
      return false;
    if (loss_of(loss).link == Link::softmax && std::abs(std::accumulate(row, row + output_count, 0.0) - 1) > tolerance)
      return false;
  }
  return true;
}

}  // namespace sheaf
