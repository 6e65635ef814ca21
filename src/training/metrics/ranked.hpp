// Metrics that need all rows at once, in the order of their outputs or errors. Source: scikit-learn's roc_auc_score
// (multi_class="ovr"), average_precision_score and median_absolute_error.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "study/metrics.hpp"
#include "training/metrics/scored_rows.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {

/// The outputs, labels or targets, and weights of all rows. The order of the rows does not matter.
class RankedRows {
 public:
  explicit RankedRows(const Scoring& scoring) : scoring_(scoring) {}
  /// Restores outputs(), labels(), targets() and weights().
  RankedRows(const Scoring& scoring, std::vector<float> outputs, std::vector<std::int32_t> labels,
             std::vector<float> targets, std::vector<float> weights)
      : scoring_(scoring),
        outputs_(std::move(outputs)),
        labels_(std::move(labels)),
        targets_(std::move(targets)),
        weights_(std::move(weights)) {}

  void add(const ScoredRows& rows);
  void append(const RankedRows& later);

  std::int64_t count() const { return static_cast<std::int64_t>(outputs_.size()) / scoring_.output_count; }
  const Scoring& scoring() const { return scoring_; }
  const std::vector<float>& outputs() const { return outputs_; }
  const std::vector<std::int32_t>& labels() const { return labels_; }
  const std::vector<float>& targets() const { return targets_; }
  const std::vector<float>& weights() const { return weights_; }
  double weight(std::int64_t row) const {
    return weights_.empty() ? 1 : double{weights_[static_cast<std::size_t>(row)]};
  }

  /// The memory of the rows and of ranked_metrics(), in bytes.
  static double bytes(std::int64_t rows, const Scoring& scoring, bool has_weights, std::int64_t threads);

 private:
  Scoring scoring_;
  std::vector<float> outputs_;        // [count, outputs]
  std::vector<std::int32_t> labels_;  // [count]; classification only
  std::vector<float> targets_;        // [count, outputs]; empty for classification
  std::vector<float> weights_;        // [count]; empty: all are 1
};

/// The values of metrics of the family `ranked` for the task of the rows, computed by this many threads. The rows are
/// sorted once for all metrics. Requires at least one row.
std::vector<double> ranked_metrics(const std::vector<MetricKind>& metrics, const RankedRows& rows,
                                   std::int64_t threads = 1);

}  // namespace sheaf
