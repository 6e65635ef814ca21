// The types of metrics, class weights and quantiles as setting values. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/metrics.hpp"
#include "study/search_options.hpp"
#include "study/train_options.hpp"
#include "study/value_types.hpp"

namespace sheaf {

/// Metrics (study/metrics.hpp) separated by commas or spaces, each at most once; `none` or empty text is the empty
/// list.
ValueType<std::vector<MetricChoice>> metric_list();

/// none, balanced, or classes with their weights: "cat:2, dog:0.5", each class at most once.
ValueType<ClassWeights> class_weights();

/// A metric, or `loss` for nullopt; the second one stores its text.
ValueType<std::optional<MetricChoice>> metric_or_loss();
ValueType<std::string> metric_or_loss_text();

/// Different numbers between 0 and 1 in ascending order, at most 32, separated by commas or spaces.
ValueType<std::vector<double>> quantile_list();

/// The trials with which a search starts, or the directory of a run that has them.
struct SearchStart {
  std::vector<StartTrial> trials;
  std::string run;
};

/// "key = value, key = value; key = value": the values of trials, which semicolons separate; `none`; or a path.
ValueType<SearchStart> search_start();

/// Earlier lists and ranges of a search (search_spaces.hpp).
ValueType<std::vector<EarlierSpace>> earlier_spaces();

}  // namespace sheaf
