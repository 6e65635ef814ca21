// Accuracy. Source: scikit-learn's accuracy_score.
// SPDX-License-Identifier: MIT
#pragma once

#include "training/metrics/metric.hpp"

namespace sheaf {

/// The fraction of rows whose predicted label equals their label.
Metric accuracy();

}  // namespace sheaf
