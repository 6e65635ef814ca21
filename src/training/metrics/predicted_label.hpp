// The predicted class of a row. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// The index of the largest of `output_count` outputs; the first one if several are equal. NaN never counts as larger.
std::int64_t predicted_label(const float* outputs, std::int64_t output_count);

}  // namespace sheaf
