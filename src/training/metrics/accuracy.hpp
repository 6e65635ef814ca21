// Accuracy. Source: scikit-learn's accuracy_score.
// SPDX-License-Identifier: MIT
#pragma once

#include "training/metrics/metric.hpp"

namespace sheaf {

/// The share of rows whose predicted label is their label.
Metric accuracy();

}  // namespace sheaf
