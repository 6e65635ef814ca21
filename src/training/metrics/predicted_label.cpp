// SPDX-License-Identifier: MIT
#include "training/metrics/predicted_label.hpp"

namespace sheaf {

// Uses no branches, because every other one would be mispredicted.
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

}  // namespace sheaf
