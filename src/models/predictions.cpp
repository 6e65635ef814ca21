// SPDX-License-Identifier: MIT
#include "models/predictions.hpp"

#include <algorithm>
#include <cmath>

namespace sheaf {

void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count) {
  float* const end = outputs + count * output_count;
  if (loss == LossKind::mse) return;
  if (loss == LossKind::bce) {
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

}  // namespace sheaf
