// The permutation importance of the features of a model, and its file importance.json in a run directory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runs/results/models_kind.hpp"

namespace sheaf {

/// What the metric loses when the values of one feature are permuted among the rows. Positive: the model needs it.
struct FeatureImportance {
  std::string feature;             ///< its column, "feature 3" of features without names, or "channel 0" of images
  std::int64_t number = 0;         ///< among the features of the model, from 0
  std::vector<double> values{};    ///< [repeats]
  double mean = 0, deviation = 0;  ///< of the values; the deviation is that of a population, as in scikit-learn
};

struct FeatureImportances {
  std::string program{};                    ///< that computed them: "sheaf 0.18.0"
  std::vector<std::string> models{};        ///< files; more than one: an ensemble
  std::optional<ModelsKind> models_kind{};  ///< none: a model file or an iteration was named
  std::string data{};                       ///< file
  std::int64_t file_rows = 0;               ///< of the file
  std::int64_t rows = 0;                    ///< of these, those that were used
  std::optional<std::string> weights{};     ///< data set or column of the weights of the rows
  std::string metric{};                     ///< MetricChoice::name(), or "loss"
  std::string metric_label{};               ///< in reports: "ROC AUC", "loss (cross_entropy)"
  bool larger_is_better = true;             ///< whether a larger value of the metric is better
  double baseline = 0;                      ///< the metric of the rows as they are
  std::int64_t repeats = 0;
  std::uint64_t seed = 0;
  std::vector<FeatureImportance> features{};  ///< the most important first
};

/// Sets mean and deviation of each feature, and sorts the features by their mean, the largest first and NaN last; equal
/// ones by their number. Pure.
void rank_features(std::vector<FeatureImportance>& features);

/// "ROC AUC 0.9312": the metric of the rows as they are. Pure.
std::string baseline_text(const FeatureImportances& importances);

/// "400 rows", or "400 of 5000 rows". Pure.
std::string rows_text(const FeatureImportances& importances);

/// The content of importance.json. Numbers that are not finite become null. Pure.
std::string importance_json(const FeatureImportances& importances);

/// Reads importance.json; nothing if there is no such file. Throws RunError if it is damaged. Local.
std::optional<FeatureImportances> read_importances(const std::string& path);

}  // namespace sheaf
