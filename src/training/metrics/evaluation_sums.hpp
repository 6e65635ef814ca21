// The loss and pointwise metrics over any number of rows. Lanes and ranks can sum ranges of rows
// separately. Merged in row order, these sums give the same bits, whichever lane or rank computed them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "study/metrics.hpp"
#include "training/metrics/pointwise.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

class EvaluationSums {
 public:
  /// `metrics`: those of other families are left out.
  EvaluationSums(const Scoring& scoring, const std::vector<MetricFunction>& metrics);
  /// Restores the sums from numbers().
  EvaluationSums(const Scoring& scoring, const std::vector<MetricFunction>& metrics, const double* numbers);

  /// Adds rows.
  void add(const ScoredRows& rows);

  /// Adds the sums of the rows that follow these.
  void append(const EvaluationSums& later);

  /// The sum of the weights of the rows.
  double weight() const { return weight_sum_; }
  /// The weighted mean over rows and, unless targets are labels, over outputs.
  double loss() const;
  /// The values of the pointwise metrics, in order.
  std::vector<double> values() const;

  /// The whole state, to be sent between ranks. The number of values depends only on the scoring and the metrics.
  std::vector<double> numbers() const;

 private:
  Scoring scoring_;
  double weight_sum_ = 0, loss_sum_ = 0;
  std::vector<MetricFunction> metrics_;  // pointwise
  PointwiseSums pointwise_;              // without metrics that equal the loss
};

}  // namespace sheaf
