// Accuracy. Source: scikit-learn's accuracy_score.
// SPDX-License-Identifier: MIT
#pragma once

#include "training/metrics/accumulator.hpp"

namespace sheaf {

/// The fraction of rows whose predicted label equals their label.
std::unique_ptr<Accumulator> make_accuracy();

}  // namespace sheaf
