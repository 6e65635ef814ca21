// The formulas of the pointwise metrics.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "study/metrics.hpp"
#include "training/metrics/accumulator.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// An accumulator of a pointwise metric without rows; of several outputs, it measures all of them. Throws
/// std::logic_error for metrics of other families.
std::unique_ptr<Accumulator> make_pointwise(const MetricFunction& metric, const Scoring& scoring);

}  // namespace sheaf
