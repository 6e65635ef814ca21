// The class that a classifier's outputs predict. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// The index of the largest of `output_count` outputs, the first of equals. NaN is never larger.
std::int64_t predicted_label(const float* outputs, std::int64_t output_count);

}  // namespace sheaf
