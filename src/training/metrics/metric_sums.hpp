// The values of several metrics over any number of rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "study/metrics.hpp"
#include "training/metrics/counts.hpp"
#include "training/metrics/pointwise.hpp"
#include "training/metrics/ranked.hpp"

namespace sheaf {

/// What metrics of the three families need of the rows. Metrics of one family share it. Not shared between threads.
class MetricSums {
 public:
  /// The metrics must apply to the task.
  MetricSums(const Scoring& scoring, std::vector<MetricFunction> metrics);

  /// Adds rows. The values do not depend on how the rows are divided into calls.
  void add(const ScoredRows& rows);

  /// Adds the rows of `later`, of the same scoring and metrics, which come after the rows so far. Equal to add() of the
  /// same rows up to rounding.
  void append(const MetricSums& later);

  /// In the order of the metrics, computed by this many threads. Requires at least one row.
  std::vector<double> values(std::int64_t threads = 1) const;

 private:
  std::vector<MetricFunction> metrics_;
  PointwiseSums pointwise_;
  std::optional<ClassCounts> counts_;  // of all metrics of this family
  std::optional<RankedRows> ranked_;
};

}  // namespace sheaf
