// The loss and the pointwise metrics of a task over any number of rows. Lanes and ranks can sum ranges of rows
// separately. Merged in row order, these sums give the same bits, whichever lane or rank computed them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "training/metrics/accumulator.hpp"
#include "training/metrics/metric_value.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

class EvaluationSums {
 public:
  explicit EvaluationSums(const Scoring& scoring);
  /// Restores the sums from numbers().
  EvaluationSums(const Scoring& scoring, const double* numbers);

  /// Adds rows without weights.
  void add(const ScoredRows& rows);

  /// Adds the sums of the rows that follow these.
  void append(const EvaluationSums& later);

  /// The mean over rows and, unless targets are labels, over outputs.
  double loss() const;
  /// The pointwise metrics that apply, in the order of the table.
  std::vector<MetricValue> metrics() const;

  /// The whole state, to be sent between ranks. The number of values depends only on the Scoring.
  std::vector<double> numbers() const;

 private:
  struct Entry {
    MetricKind metric;
    std::unique_ptr<Accumulator> accumulator;  // null: the metric equals the loss
  };

  Scoring scoring_;
  double row_count_ = 0, loss_sum_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace sheaf
