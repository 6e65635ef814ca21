// The loss and all metrics of a task over any number of rows: sums of stretches of rows, made apart, are put together
// in their order. The result is then the same to the bit whoever made them. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "study/study.hpp"
#include "training/metrics/metric.hpp"

namespace sheaf {

/// What the outputs are, and how they are judged.
struct Scoring {
  Task task = Task::regression;
  LossKind loss = LossKind::mse;
  bool probabilities = false;  ///< classification: outputs are class probabilities (of an ensemble), not logits
  std::int64_t output_count = 0;
};

struct MetricValue {
  std::string_view label;  ///< of the metric
  double value = 0;
};

class EvaluationSums {
 public:
  explicit EvaluationSums(const Scoring& scoring);
  /// From numbers().
  EvaluationSums(const Scoring& scoring, const double* numbers);

  void add(const ScoredRows& rows);

  /// Adds the rows that come after these.
  void append(const EvaluationSums& later);

  /// Mean over rows (and outputs, for mse and bce), as TrainOptions::loss means it.
  double loss() const;
  /// Those of the task, in the order of the table.
  std::vector<MetricValue> metrics() const;

  /// The whole state, as many for all sums of a Scoring: to travel between ranks.
  std::vector<double> numbers() const;

 private:
  double label_losses(const ScoredRows& rows, double sum) const;
  double target_losses(const ScoredRows& rows, double sum) const;

  struct Entry {
    const Metric* metric;
    std::unique_ptr<Accumulator> accumulator;
  };

  Scoring scoring_;
  double row_count_ = 0, loss_sum_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace sheaf
