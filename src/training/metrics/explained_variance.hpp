// The explained variance. Source: scikit-learn's explained_variance_score (uniform_average).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "training/metrics/accumulator.hpp"

namespace sheaf {

/// The mean over outputs of 1 - variance of the residuals / variance of the targets, in double: R2 without the mean
/// error. NaN for fewer than two rows, like R2. An output with a constant target counts as 1 if its residuals are
/// constant, otherwise as 0.
std::unique_ptr<Accumulator> make_explained_variance(std::int64_t output_count);

}  // namespace sheaf
