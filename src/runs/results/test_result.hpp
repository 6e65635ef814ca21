// The models of a run on the test rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "study/metrics.hpp"

namespace sheaf {

struct TestResult {
  bool of_refit = false;  ///< of the refit, otherwise of the best model or of an ensemble of trials
  std::int64_t rows = 0;
  double loss = 0;
  std::vector<MetricValue> metrics{};  ///< all that apply, first those of the study
  std::size_t study_metrics = 0;       ///< of the study: its score and run.metrics
};

}  // namespace sheaf
