// Metrics that are means over rows, or computed from sums over rows. Sources: scikit-learn's functions with these names
// (those of errors are written out, such as mae: mean_absolute_error), top_k_accuracy_score, mean_pinball_loss and
// brier_score_loss; for ece see the definition.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "study/metrics.hpp"
#include "training/metrics/accumulator.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// Metrics of this family over any number of rows. They share the class probabilities of each row. Not shared between
/// threads.
class PointwiseSums {
 public:
  /// `metrics`: those of other families are left out.
  PointwiseSums(const Scoring& scoring, const std::vector<MetricFunction>& metrics);

  /// As Accumulator::add() and append().
  void add(const ScoredRows& rows);
  void append(const PointwiseSums& later);

  /// In the order of the metrics. Requires at least one row.
  std::vector<double> values() const;

  /// The whole state. Its length depends only on the metrics and the number of outputs.
  std::vector<double> numbers() const;
  void set_numbers(const double* numbers);

 private:
  Scoring scoring_;
  std::vector<std::unique_ptr<Accumulator>> accumulators_;  // one for each metric
  bool needs_probabilities_ = false;
  RowProbabilities probabilities_;  // of the rows that are being added
};

}  // namespace sheaf
