// What an evaluation tells, as text and as JSON. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/study.hpp"
#include "training/metrics/evaluation_sums.hpp"

namespace sheaf {

/// How well predictions fit their targets.
struct Fit {
  double loss = 0;
  std::vector<MetricValue> metrics;     ///< of the task
  std::vector<std::int64_t> confusion;  ///< [classes, classes]: rows are labels, columns predictions; empty: none
};

struct EvaluationReport {
  std::vector<std::string> models;  ///< files; several: an ensemble
  std::string data;
  LossKind loss = LossKind::mse;
  std::string engine;  ///< "native", "torch (a cnn has convolutions)"
  std::int64_t rows = 0;
  std::int64_t outputs = 0;
  std::optional<Fit> fit;   ///< none without targets
  std::string predictions;  ///< the file that was written; empty: none
  double seconds = 0;       ///< of reading and predicting
  double bytes = 0;         ///< of features, as 32-bit numbers
};

/// Lines for people; classes of a confusion matrix are told apart up to 20 of them.
std::string evaluation_text(const EvaluationReport& report);

/// One JSON object and a line end; what is not finite is null.
std::string evaluation_json(const EvaluationReport& report);

}  // namespace sheaf
