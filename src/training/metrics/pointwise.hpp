// Metrics that are means over rows, or computed from sums over rows. Source: the metrics of the same names in
// scikit-learn (mae: mean_absolute_error, r2: r2_score).
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "study/metrics.hpp"
#include "training/metrics/accumulator.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// Returns an accumulator without rows for a metric of the family `pointwise`.
std::unique_ptr<Accumulator> make_pointwise(MetricKind metric, const Scoring& scoring);

}  // namespace sheaf
