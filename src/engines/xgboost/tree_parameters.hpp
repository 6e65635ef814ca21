// The objective and the parameters of XGBoost for a trial. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "study/data_options.hpp"
#include "study/losses.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// What the parameters depend on besides the study.
struct TreeTask {
  LossKind loss = LossKind::mse;
  std::int64_t outputs = 1;  ///< classes, labels or targets
  double mean = 0;           ///< weighted, of the labels that XGBoost gets
  std::uint64_t seed = 0;
};

/// Names and values for Booster. base_score is the mean of the labels, within the range of the objective.
std::vector<std::pair<std::string, std::string>> tree_parameters(const ModelOptions& model, const TreeTask& task);

}  // namespace sheaf
