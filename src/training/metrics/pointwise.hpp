// Metrics that are means over rows, or computed from sums over rows. Sources: scikit-learn's functions with these names
// (those of errors are written out, such as mae: mean_absolute_error), top_k_accuracy_score, mean_pinball_loss and
// brier_score_loss; for ece see the definition.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "study/metrics.hpp"
#include "training/metrics/accumulator.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// Returns an accumulator without rows for a metric of the family `pointwise`.
std::unique_ptr<Accumulator> make_pointwise(const MetricFunction& metric, const Scoring& scoring);

}  // namespace sheaf
