// Metrics that need all rows at once, in the order of their outputs. Source: scikit-learn's roc_auc_score.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "study/metrics.hpp"
#include "training/metrics/scored_rows.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// The outputs, labels and weights of all rows. The order of rows without weights does not matter.
class RankedRows {
 public:
  explicit RankedRows(const Scoring& scoring) : scoring_(scoring) {}
  /// Restores outputs() and labels() of rows without weights.
  RankedRows(const Scoring& scoring, std::vector<float> outputs, std::vector<std::int32_t> labels)
      : scoring_(scoring), outputs_(std::move(outputs)), labels_(std::move(labels)) {}

  void add(const ScoredRows& rows);
  void append(const RankedRows& later);

  std::int64_t count() const { return static_cast<std::int64_t>(labels_.size()); }
  const Scoring& scoring() const { return scoring_; }
  const std::vector<float>& outputs() const { return outputs_; }
  const std::vector<std::int32_t>& labels() const { return labels_; }
  double weight(std::int64_t row) const {
    return weights_.empty() ? 1 : double{weights_[static_cast<std::size_t>(row)]};
  }

  /// The memory of the rows and of ranked_metric(), in bytes.
  static double bytes(std::int64_t rows, std::int64_t output_count, std::int64_t threads);

 private:
  Scoring scoring_;
  std::vector<float> outputs_;  // [count, outputs]
  std::vector<std::int32_t> labels_;
  std::vector<float> weights_;  // empty: all are 1
};

/// The value of a metric of the family `ranked`, computed by this many threads. Requires at least one row.
double ranked_metric(MetricKind metric, const RankedRows& rows, std::int64_t threads = 1);

}  // namespace sheaf
