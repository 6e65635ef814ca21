// The table of losses: names, and properties that several modules use. training/losses has the formulas. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "study/auto_or.hpp"
#include "study/kind_table.hpp"
#include "study/metrics.hpp"

namespace sheaf {

enum class LossKind { mse, cross_entropy, bce, mae, huber, poisson, quantile };

/// What the outputs of a row are compared with. labels: one class number; values: one value per output, with classes
/// one-hot. With the loss `quantile` all outputs have the value of the only target.
enum class LossTargets { labels, values };

/// What makes predictions of the outputs: probabilities, or with exponential, numbers of their logarithms. none:
/// outputs are the predictions themselves.
enum class Link { none, softmax, sigmoid, exponential };

struct Loss {
  LossKind kind;
  std::string_view name;
  std::string_view meaning;  ///< for the help
  LossTargets targets;
  Link link;
  int unit_power;  ///< the loss of targets in other units is multiplied by this power of the unit; 0: no units
  MetricKind regression_metric;  ///< the default metric of a regression
  std::string_view other_names;  ///< in other tools, separated by spaces

  /// Not for regression: predictions are probabilities.
  constexpr bool needs_classes() const { return link == Link::softmax || link == Link::sigmoid; }
  /// Only for regression, with targets that are not negative.
  constexpr bool needs_counts() const { return link == Link::exponential; }
  /// Only for regression.
  constexpr bool needs_numbers() const { return needs_counts() || has_quantiles(); }
  /// Whether each output has a probability of its own, as labels need.
  constexpr bool fits_labels() const { return link == Link::sigmoid; }
  /// Each output is a quantile of the only target, and has its own term in the loss.
  constexpr bool has_quantiles() const { return kind == LossKind::quantile; }
  /// Whether boosted trees can be trained with it (engines/xgboost).
  constexpr bool fits_trees() const {
    return kind == LossKind::mse || kind == LossKind::cross_entropy || kind == LossKind::bce ||
           kind == LossKind::poisson;
  }
  /// Whether the loss of a row is the mean of one term per output.
  bool is_per_output() const { return targets == LossTargets::values; }
};

/// In the order of LossKind.
inline constexpr std::array loss_table = {
    Loss{LossKind::mse, "mse", "mean squared error", LossTargets::values, Link::none, 2, MetricKind::r2,
         "mean_squared_error squared_error mseloss l2"},
    Loss{LossKind::cross_entropy, "cross_entropy", "softmax cross entropy", LossTargets::labels, Link::softmax, 0,
         MetricKind::r2,
         "crossentropy categorical_crossentropy sparse_categorical_crossentropy crossentropyloss log_loss softmax"},
    Loss{LossKind::bce, "bce", "one-versus-rest binary cross entropy", LossTargets::values, Link::sigmoid, 0,
         MetricKind::r2, "binary_crossentropy binary_cross_entropy bceloss bcewithlogitsloss"},
    Loss{LossKind::mae, "mae", "mean absolute error", LossTargets::values, Link::none, 1, MetricKind::mae,
         "mean_absolute_error absolute_error l1loss"},
    Loss{LossKind::huber, "huber", "Huber loss (train.huber_delta)", LossTargets::values, Link::none, 2,
         MetricKind::mae, "huber_loss huberloss"},
    Loss{LossKind::poisson, "poisson",
         "Poisson regression (outputs are logarithms of the predictions, targets are not negative)",
         LossTargets::values, Link::exponential, 0, MetricKind::r2,
         "poisson_nll poissonnllloss poissonloss poisson_loss poisson_nll_loss count:poisson"},
    Loss{LossKind::quantile, "quantile", "pinball loss of the quantiles in train.quantiles", LossTargets::values,
         Link::none, 1, MetricKind::mean_pinball, "pinball pinball_loss quantile_loss quantileloss"},
};

static_assert(is_in_order(loss_table) && loss_table.size() == static_cast<std::size_t>(LossKind::quantile) + 1);

constexpr const Loss& loss_of(LossKind kind) {
  return row_of(loss_table, kind);
}

/// A loss with its parameters.
struct LossFunction {
  LossKind kind;
  double delta;     ///< huber: absolute errors above this count linearly; in the units of the targets
  double quantile;  ///< quantile: that of the outputs to which the function applies

  constexpr LossFunction(LossKind of_kind = LossKind::mse, double of_delta = 1, double of_quantile = 0.5)
      : kind(of_kind), delta(of_delta), quantile(of_quantile) {}
};

/// The names of the losses of boosted trees: "mse, cross_entropy, bce and poisson".
std::string names_of_tree_losses();

/// Null if there is no such loss, also for "auto".
const Loss* find_loss(std::string_view name);

/// The loss for targets and outputs that are divided by `unit`. It is the same loss, divided by unit_factor().
inline LossFunction in_unit(const LossFunction& loss, double unit) {
  return {loss.kind, loss.delta / unit, loss.quantile};
}

/// The loss for the output with this quantile.
inline LossFunction of_quantile(const LossFunction& loss, double quantile) {
  return {loss.kind, loss.delta, quantile};
}

inline double unit_factor(LossKind kind, double unit) {
  double factor = 1;
  for (int power = 0; power < loss_of(kind).unit_power; ++power) factor *= unit;
  return factor;
}

/// Whether a metric can be computed for models of this task and loss.
constexpr bool applies_to(const Metric& metric, Task task, LossKind loss) {
  const Loss& of_model = loss_of(loss);
  return metric.applies_to(task) && (metric.losses != MetricLosses::probabilities || of_model.needs_classes()) &&
         (metric.losses != MetricLosses::quantiles || of_model.has_quantiles());
}

/// The default loss of a task.
LossKind default_loss(Task task);

/// The default metric of models that are trained with a loss.
const Metric& default_metric(Task task, AutoOr<LossKind> loss);

}  // namespace sheaf
