// The table of metrics: names, and properties that several modules use. training/metrics has the formulas. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "study/data_options.hpp"
#include "study/kind_table.hpp"

namespace sheaf {

enum class MetricKind : std::uint8_t {
  accuracy,
  balanced_accuracy,
  f1_macro,
  f1_weighted,
  precision_macro,
  recall_macro,
  matthews,
  top_3_accuracy,
  log_loss,
  brier,
  ece,
  roc_auc,
  roc_auc_weighted,
  average_precision,
  r2,
  explained_variance,
  mae,
  mse,
  rmse,
  median_ae,
  mape,
  max_error
};

/// What a metric is computed from: a mean or sums of values of single rows; the counts of labels and predictions of
/// each class; or all rows, sorted.
enum class MetricFamily : std::uint8_t { pointwise, counts, ranked };

enum class Better : std::uint8_t { higher, lower };

/// The losses with which a metric can be computed. probabilities: those whose outputs become probabilities.
enum class MetricLosses : std::uint8_t { all, probabilities };

/// A number that measures how well outputs fit labels or targets. Names and values are those of scikit-learn.
struct Metric {
  MetricKind kind;
  std::string_view name;   ///< in settings, journals, tables and JSON
  std::string_view label;  ///< in messages and reports
  MetricFamily family;
  Task task;
  Better better;
  MetricLosses losses;
  std::int64_t min_rows;       ///< the value is NaN for fewer rows
  std::string_view undefined;  ///< when it is NaN: "not defined for ..."

  bool larger_is_better() const { return better == Better::higher; }
};

/// In the order of MetricKind. The first metric of a task is its default.
inline constexpr std::array metric_table = {
    Metric{MetricKind::accuracy, "accuracy", "accuracy", MetricFamily::pointwise, Task::classification, Better::higher,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::balanced_accuracy, "balanced_accuracy", "balanced accuracy", MetricFamily::counts,
           Task::classification, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::f1_macro, "f1_macro", "F1 (macro)", MetricFamily::counts, Task::classification, Better::higher,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::f1_weighted, "f1_weighted", "F1 (weighted)", MetricFamily::counts, Task::classification,
           Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::precision_macro, "precision_macro", "precision (macro)", MetricFamily::counts,
           Task::classification, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::recall_macro, "recall_macro", "recall (macro)", MetricFamily::counts, Task::classification,
           Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::matthews, "matthews", "Matthews", MetricFamily::counts, Task::classification, Better::higher,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::top_3_accuracy, "top_3_accuracy", "top-3 accuracy", MetricFamily::pointwise,
           Task::classification, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::log_loss, "log_loss", "log loss", MetricFamily::pointwise, Task::classification, Better::lower,
           MetricLosses::probabilities, 1, ""},
    Metric{MetricKind::brier, "brier", "Brier score", MetricFamily::pointwise, Task::classification, Better::lower,
           MetricLosses::probabilities, 1, ""},
    Metric{MetricKind::ece, "ece", "ECE", MetricFamily::pointwise, Task::classification, Better::lower,
           MetricLosses::probabilities, 1, ""},
    Metric{MetricKind::roc_auc, "roc_auc", "ROC AUC", MetricFamily::ranked, Task::classification, Better::higher,
           MetricLosses::all, 2, "classes without rows"},
    Metric{MetricKind::roc_auc_weighted, "roc_auc_weighted", "ROC AUC (weighted)", MetricFamily::ranked,
           Task::classification, Better::higher, MetricLosses::all, 2, "rows of one class"},
    Metric{MetricKind::average_precision, "average_precision", "average precision", MetricFamily::ranked,
           Task::classification, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::r2, "r2", "R2", MetricFamily::pointwise, Task::regression, Better::higher, MetricLosses::all, 2,
           "so few rows"},
    Metric{MetricKind::explained_variance, "explained_variance", "explained variance", MetricFamily::pointwise,
           Task::regression, Better::higher, MetricLosses::all, 2, "so few rows"},
    Metric{MetricKind::mae, "mae", "MAE", MetricFamily::pointwise, Task::regression, Better::lower, MetricLosses::all,
           1, ""},
    Metric{MetricKind::mse, "mse", "MSE", MetricFamily::pointwise, Task::regression, Better::lower, MetricLosses::all,
           1, ""},
    Metric{MetricKind::rmse, "rmse", "RMSE", MetricFamily::pointwise, Task::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::median_ae, "median_ae", "median AE", MetricFamily::ranked, Task::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::mape, "mape", "MAPE", MetricFamily::pointwise, Task::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::max_error, "max_error", "max error", MetricFamily::pointwise, Task::regression, Better::lower,
           MetricLosses::all, 1, ""},
};

static_assert(is_in_order(metric_table));

constexpr const Metric& metric_of(MetricKind kind) {
  return row_of(metric_table, kind);
}

/// Null if there is no such metric.
const Metric* find_metric(std::string_view name);

/// The first metric for `task` in the table. Throws std::logic_error if the task is not settled.
const Metric& default_metric(Task task);

}  // namespace sheaf
