// The loss and all metrics of a task over any number of rows. Lanes and ranks can sum ranges of rows separately. Merged
// in row order, these sums give the same bits, whichever lane or rank computed them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "study/data_options.hpp"
#include "study/train_options.hpp"
#include "training/metrics/accumulator.hpp"
#include "training/metrics/metric_value.hpp"

namespace sheaf {

/// The kind of the outputs and the loss that applies to them.
struct Scoring {
  Task task = Task::regression;
  LossKind loss = LossKind::mse;
  bool probabilities = false;  ///< classification: outputs are class probabilities (of an ensemble), not logits
  std::int64_t output_count = 0;
};

class EvaluationSums {
 public:
  explicit EvaluationSums(const Scoring& scoring);
  /// Restores the sums from numbers().
  EvaluationSums(const Scoring& scoring, const double* numbers);

  void add(const ScoredRows& rows);

  /// Adds the sums of the rows that follow these.
  void append(const EvaluationSums& later);

  /// The mean over rows (for mse and bce also over outputs), as defined by TrainOptions::loss.
  double loss() const;
  /// The metrics of the task, in the order of the table.
  std::vector<MetricValue> metrics() const;

  /// The whole state, to be sent between ranks. The number of values depends only on the Scoring.
  std::vector<double> numbers() const;

 private:
  double label_losses(const ScoredRows& rows, double sum) const;
  double target_losses(const ScoredRows& rows, double sum) const;

  struct Entry {
    MetricKind metric;
    std::unique_ptr<Accumulator> accumulator;
  };

  Scoring scoring_;
  double row_count_ = 0, loss_sum_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace sheaf
