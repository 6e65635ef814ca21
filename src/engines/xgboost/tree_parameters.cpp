// SPDX-License-Identifier: MIT
#include "engines/xgboost/tree_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sheaf {
namespace {

// Probabilities and means of counts for base_score: their logarithms must be finite.
constexpr double least_share = 1e-6;

const char* objective_of(LossKind loss, std::int64_t outputs) {
  switch (loss) {
    case LossKind::cross_entropy:
      if (outputs == 1) return "reg:squarederror";  // of the only class, which is 0
      return outputs == 2 ? "binary:logistic" : "multi:softprob";
    case LossKind::bce:
      return "binary:logistic";
    case LossKind::poisson:
      return "count:poisson";
    default:
      return "reg:squarederror";
  }
}

// XGBoost adds the same value to all classes, which has no effect.
double base_score(LossKind loss, const TreeTask& task) {
  constexpr double of_several_classes = 0.5;
  if (loss == LossKind::cross_entropy && task.outputs > 2) return of_several_classes;
  if (loss == LossKind::cross_entropy && task.outputs == 1) return 0;
  if (loss_of(loss).needs_classes()) return std::clamp(task.mean, least_share, 1 - least_share);
  return loss_of(loss).needs_counts() ? std::max(task.mean, least_share) : task.mean;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> tree_parameters(const ModelOptions& model, const TreeTask& task) {
  constexpr std::uint64_t seed_bits = 0x7fffffff;  // XGBoost's seed is a signed number of 32 bits
  std::vector<std::pair<std::string, std::string>> parameters = {
      {"verbosity", "0"},
      {"nthread", "1"},
      {"tree_method", "hist"},
      {"objective", objective_of(task.loss, task.outputs)},
      {"base_score", fmt::format("{:.9g}", base_score(task.loss, task))},
      {"seed", fmt::format("{}", task.seed & seed_bits)},
      {"seed_per_iteration", "1"},
      {"grow_policy", model.max_leaves > 0 ? "lossguide" : "depthwise"},
  };
  const auto add = [&](const char* name, auto value) { parameters.emplace_back(name, fmt::format("{}", value)); };
  if (task.loss == LossKind::cross_entropy && task.outputs > 2) add("num_class", task.outputs);
  add("eta", model.eta);
  add("max_depth", model.max_depth);
  add("max_leaves", model.max_leaves);
  add("subsample", model.subsample);
  add("colsample_bytree", model.colsample_bytree);
  add("colsample_bynode", model.colsample_bynode);
  add("min_child_weight", model.min_child_weight);
  add("lambda", model.lambda);
  add("alpha", model.alpha);
  add("max_bin", model.max_bin);
  add("max_cat_to_onehot", model.max_cat_to_onehot);
  return parameters;
}

}  // namespace sheaf
