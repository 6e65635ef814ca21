// The kind of the outputs of a model, and the link of its loss, which makes them predictions. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "study/data_options.hpp"
#include "study/losses.hpp"

namespace sheaf {

/// The kind of the outputs and the loss that applies to them. Those of a regression are predictions.
struct Scoring {
  Task task = Task::regression;
  LossFunction loss;
  bool probabilities = false;  ///< of classes or labels: outputs are probabilities (of an ensemble), not logits
  std::int64_t output_count = 0;
  std::vector<double> quantiles{};       ///< [outputs], of the loss quantile
  std::vector<double> target_offsets{};  ///< [outputs], subtracted from targets and outputs; empty: none
  std::int64_t positive = 1;             ///< of two classes, that of ROC AUC and average precision

  Link link() const { return loss_of(loss.kind).link; }
};

/// A probability, clipped to 2.2e-16 from 0 and 1 as in scikit-learn's log_loss. NaN stays NaN.
inline double clipped_probability(double value) {
  constexpr double least = std::numeric_limits<double>::epsilon();
  return value < least ? least : value > 1 - least ? 1 - least : value;
}

/// log(1 + exp(x)) without overflow.
double softplus(double x);

/// What the probabilities of all classes of a row have in common.
struct RowScale {
  double largest = 0, sum = 1;
};
RowScale row_scale(const Scoring& scoring, const float* outputs);

/// The probability of a class or label for a row of outputs with this scale; without probabilities (Link::none) its
/// output.
double class_probability(const Scoring& scoring, const float* outputs, const RowScale& scale, std::int64_t label);

/// The probabilities of all classes of rows, computed once for all metrics that need them.
class RowProbabilities {
 public:
  /// Replaces them by those of `rows` rows of outputs.
  void compute(const Scoring& scoring, const float* outputs, std::int64_t rows);

  /// [outputs], as class_probability().
  const double* of(std::int64_t row) const { return values_.data() + row * width_; }
  const RowScale& scale(std::int64_t row) const { return scales_[static_cast<std::size_t>(row)]; }

 private:
  std::int64_t width_ = 0;
  std::vector<double> values_;    // [rows, outputs]
  std::vector<RowScale> scales_;  // [rows]
};

/// The logarithm of the probability of `label` for a row of outputs with this scale: by the link of the loss, in double
/// and exact for large logits. Outputs that are probabilities are clipped (clipped_probability()). NaN for losses
/// without a link.
double label_log_probability(const Scoring& scoring, const float* outputs, const RowScale& scale, std::int64_t label);

/// The same for one of several labels: that the row has it, or has it not. `output`: that of the label.
double binary_log_probability(const Scoring& scoring, float output, bool has_label);

}  // namespace sheaf
