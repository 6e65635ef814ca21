// The table of metrics: names, and properties that several modules use. training/metrics has the formulas. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/data_options.hpp"
#include "study/kind_table.hpp"

namespace sheaf {

enum class MetricKind : std::uint8_t {
  accuracy,
  hamming_loss,
  balanced_accuracy,
  f1_macro,
  f1_weighted,
  f1_micro,
  precision_macro,
  precision_weighted,
  precision_micro,
  recall_macro,
  recall_weighted,
  recall_micro,
  f1_of_class,
  precision_of_class,
  recall_of_class,
  matthews,
  top_3_accuracy,
  top_k_accuracy,
  log_loss,
  brier,
  ece,
  roc_auc,
  roc_auc_weighted,
  average_precision,
  average_precision_weighted,
  r2,
  explained_variance,
  mae,
  mse,
  rmse,
  median_ae,
  mape,
  max_error,
  mean_pinball,
  pinball
};

/// What a metric is computed from: a mean or sums of values of single rows; the counts of labels and predictions of
/// each class; or all rows, sorted.
enum class MetricFamily : std::uint8_t { pointwise, counts, ranked };

enum class Better : std::uint8_t { higher, lower };

/// The losses with which a metric can be computed. probabilities: those whose outputs become probabilities; quantiles:
/// those whose outputs have quantiles.
enum class MetricLosses : std::uint8_t { all, probabilities, quantiles };

/// The tasks with which a metric can be computed.
enum class MetricTasks : std::uint8_t { classification, multilabel, classification_or_multilabel, regression };

/// What follows the name of a metric and a colon. class_name: a class by its name or number, as in f1:setosa; count: an
/// integer, as in top_k:5; quantile: a number between 0 and 1, as in pinball:0.9.
enum class MetricParameter : std::uint8_t { none, class_name, count, quantile };

/// A number that measures how well outputs fit labels or targets. Names and values are those of scikit-learn; for
/// Task::multilabel, those of its multilabel indicators.
struct Metric {
  MetricKind kind;
  std::string_view name;   ///< in settings, journals, tables and JSON
  std::string_view label;  ///< in messages and reports
  MetricFamily family;
  MetricTasks tasks;
  Better better;
  MetricLosses losses;
  std::int64_t min_rows;       ///< the value is NaN for fewer rows
  std::string_view undefined;  ///< when it is NaN: "not defined for ..."
  MetricParameter parameter = MetricParameter::none;

  bool larger_is_better() const { return better == Better::higher; }
  constexpr bool applies_to(Task task) const {
    switch (task) {
      case Task::classification:
        return tasks == MetricTasks::classification || tasks == MetricTasks::classification_or_multilabel;
      case Task::multilabel:
        return tasks == MetricTasks::multilabel || tasks == MetricTasks::classification_or_multilabel;
      case Task::regression:
        return tasks == MetricTasks::regression;
    }
    return false;
  }
};

/// In the order of MetricKind. The first metric of a task is its default.
inline constexpr std::array metric_table = {
    Metric{MetricKind::accuracy, "accuracy", "accuracy", MetricFamily::pointwise,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::hamming_loss, "hamming_loss", "Hamming loss", MetricFamily::pointwise, MetricTasks::multilabel,
           Better::lower, MetricLosses::all, 1, ""},
    Metric{MetricKind::balanced_accuracy, "balanced_accuracy", "balanced accuracy", MetricFamily::counts,
           MetricTasks::classification, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::f1_macro, "f1_macro", "F1 (macro)", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::f1_weighted, "f1_weighted", "F1 (weighted)", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::f1_micro, "f1_micro", "F1 (micro)", MetricFamily::counts, MetricTasks::multilabel,
           Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::precision_macro, "precision_macro", "precision (macro)", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::precision_weighted, "precision_weighted", "precision (weighted)", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::precision_micro, "precision_micro", "precision (micro)", MetricFamily::counts,
           MetricTasks::multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::recall_macro, "recall_macro", "recall (macro)", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::recall_weighted, "recall_weighted", "recall (weighted)", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::recall_micro, "recall_micro", "recall (micro)", MetricFamily::counts, MetricTasks::multilabel,
           Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::f1_of_class, "f1", "F1", MetricFamily::counts, MetricTasks::classification_or_multilabel,
           Better::higher, MetricLosses::all, 1, "", MetricParameter::class_name},
    Metric{MetricKind::precision_of_class, "precision", "precision", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, "",
           MetricParameter::class_name},
    Metric{MetricKind::recall_of_class, "recall", "recall", MetricFamily::counts,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, "",
           MetricParameter::class_name},
    Metric{MetricKind::matthews, "matthews", "Matthews", MetricFamily::counts, MetricTasks::classification,
           Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::top_3_accuracy, "top_3_accuracy", "top-3 accuracy", MetricFamily::pointwise,
           MetricTasks::classification, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::top_k_accuracy, "top_k", "top-k accuracy", MetricFamily::pointwise, MetricTasks::classification,
           Better::higher, MetricLosses::all, 1, "", MetricParameter::count},
    Metric{MetricKind::log_loss, "log_loss", "log loss", MetricFamily::pointwise,
           MetricTasks::classification_or_multilabel, Better::lower, MetricLosses::probabilities, 1, ""},
    Metric{MetricKind::brier, "brier", "Brier score", MetricFamily::pointwise,
           MetricTasks::classification_or_multilabel, Better::lower, MetricLosses::probabilities, 1, ""},
    Metric{MetricKind::ece, "ece", "ECE", MetricFamily::pointwise, MetricTasks::classification, Better::lower,
           MetricLosses::probabilities, 1, ""},
    Metric{MetricKind::roc_auc, "roc_auc", "ROC AUC", MetricFamily::ranked, MetricTasks::classification_or_multilabel,
           Better::higher, MetricLosses::all, 2, "classes without rows"},
    Metric{MetricKind::roc_auc_weighted, "roc_auc_weighted", "ROC AUC (weighted)", MetricFamily::ranked,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 2, "rows of one class"},
    Metric{MetricKind::average_precision, "average_precision", "average precision", MetricFamily::ranked,
           MetricTasks::classification_or_multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::average_precision_weighted, "average_precision_weighted", "average precision (weighted)",
           MetricFamily::ranked, MetricTasks::multilabel, Better::higher, MetricLosses::all, 1, ""},
    Metric{MetricKind::r2, "r2", "R2", MetricFamily::pointwise, MetricTasks::regression, Better::higher,
           MetricLosses::all, 2, "so few rows"},
    Metric{MetricKind::explained_variance, "explained_variance", "explained variance", MetricFamily::pointwise,
           MetricTasks::regression, Better::higher, MetricLosses::all, 2, "so few rows"},
    Metric{MetricKind::mae, "mae", "MAE", MetricFamily::pointwise, MetricTasks::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::mse, "mse", "MSE", MetricFamily::pointwise, MetricTasks::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::rmse, "rmse", "RMSE", MetricFamily::pointwise, MetricTasks::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::median_ae, "median_ae", "median AE", MetricFamily::ranked, MetricTasks::regression,
           Better::lower, MetricLosses::all, 1, ""},
    Metric{MetricKind::mape, "mape", "MAPE", MetricFamily::pointwise, MetricTasks::regression, Better::lower,
           MetricLosses::all, 1, ""},
    Metric{MetricKind::max_error, "max_error", "max error", MetricFamily::pointwise, MetricTasks::regression,
           Better::lower, MetricLosses::all, 1, ""},
    Metric{MetricKind::mean_pinball, "mean_pinball", "pinball loss (own quantiles)", MetricFamily::pointwise,
           MetricTasks::regression, Better::lower, MetricLosses::quantiles, 1, ""},
    Metric{MetricKind::pinball, "pinball", "pinball loss", MetricFamily::pointwise, MetricTasks::regression,
           Better::lower, MetricLosses::all, 1, "", MetricParameter::quantile},
};

static_assert(is_in_order(metric_table));

constexpr const Metric& metric_of(MetricKind kind) {
  return row_of(metric_table, kind);
}

/// A metric as it is written in studies: its name and, after a colon, its parameter.
struct MetricChoice {
  MetricKind kind = MetricKind::accuracy;
  std::string parameter{};  ///< as written; empty for metrics without one

  MetricChoice() = default;
  MetricChoice(MetricKind of_kind, std::string of_parameter = "") : kind(of_kind), parameter(std::move(of_parameter)) {}

  const Metric& metric() const { return metric_of(kind); }
  /// The text that read_metric() accepts, such as "f1:setosa". Also the name of its columns.
  std::string name() const;
  /// In messages and reports: "F1 (setosa)".
  std::string label() const;
  bool operator==(const MetricChoice& other) const { return kind == other.kind && parameter == other.parameter; }
};

/// The value of a metric; NaN if it is not defined.
struct MetricValue {
  MetricChoice metric;
  double value;
};

/// A metric with the value of its parameter: the number of a class, a count or a quantile.
struct MetricFunction {
  MetricKind kind;
  double parameter;

  constexpr MetricFunction(MetricKind of_kind, double of_parameter = 0) : kind(of_kind), parameter(of_parameter) {}
};

/// Reads a metric with upper- or lower-case letters; those of a class count. Nothing if there is no such metric, or for
/// a count below 1 or a quantile that is not between 0 and 1.
std::optional<MetricChoice> read_metric(const std::string& text);

/// A metric as in the help, with a letter or a word for its parameter: "f1:CLASS".
std::string metric_pattern(const Metric& metric);
/// The patterns of all metrics, in the order of the table.
std::vector<std::string> metric_patterns();

/// Why read_metric() refuses the text, and what to write: "top_k:0 needs ...". Starts with a space; empty if there is
/// nothing to say.
std::string metric_hint(const std::string& text);

/// Names of metrics in other tools, in lower case, each with the name here, which may be "loss".
std::vector<std::pair<std::string, std::string>> other_names_of_metrics();

/// The metric with the value of its parameter. `class_names`: of the classes 0, 1, ..., or empty. A class is looked up
/// by its name first. Nothing if there is no such class among the `outputs`, or if the count is larger.
std::optional<MetricFunction> metric_function(const MetricChoice& choice, const std::vector<std::string>& class_names,
                                              std::int64_t outputs);

/// The output that a metric of a model with several quantiles measures: that of its quantile, for other metrics that of
/// the median. Nothing if no output has this quantile. Pure.
std::optional<std::size_t> quantile_output(const MetricFunction& metric, const std::vector<double>& quantiles);

/// Why a metric that `key` names cannot be computed for a model with these quantiles, and what to do; "" if it can.
std::string quantile_problem(const std::string& key, const MetricChoice& choice, const std::vector<double>& quantiles);

/// Why metric_function() returns nothing for a metric that `key` names, and what to do; "" if it returns a value.
/// `data`: the data or the model with these classes, such as "'iris.h5'".
std::string metric_problem(const std::string& key, const MetricChoice& choice,
                           const std::vector<std::string>& class_names, std::int64_t outputs, const std::string& data);

/// The first metric for `task` in the table.
const Metric& default_metric(Task task);

}  // namespace sheaf
