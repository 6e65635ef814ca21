// SPDX-License-Identifier: MIT
#include "training/metrics/metric_sums.hpp"
#include "study/losses.hpp"

#include <utility>

namespace sheaf {

MetricSums::MetricSums(const Scoring& scoring, std::vector<MetricFunction> metrics)
    : metrics_(std::move(metrics)), pointwise_(scoring, metrics_) {
  for (const MetricFunction& metric : metrics_) switch (metric_of(metric.kind).family) {
      case MetricFamily::pointwise:
        break;
      case MetricFamily::counts:
        counts_.emplace(scoring.output_count);
        break;
      case MetricFamily::ranked:
        ranked_.emplace(scoring);
        break;
    }
}

void MetricSums::add(const ScoredRows& rows) {
  pointwise_.add(rows);
  if (counts_) counts_->add(rows);
  if (ranked_) ranked_->add(rows);
}

void MetricSums::append(const MetricSums& later) {
  pointwise_.append(later.pointwise_);
  if (counts_) counts_->append(*later.counts_);
  if (ranked_) ranked_->append(*later.ranked_);
}

std::vector<double> MetricSums::values(std::int64_t threads) const {
  std::vector<MetricKind> ranked_kinds;
  for (const MetricFunction& metric : metrics_)
    if (metric_of(metric.kind).family == MetricFamily::ranked) ranked_kinds.push_back(metric.kind);
  std::vector<double> ranked_values;
  if (ranked_) ranked_values = ranked_metrics(ranked_kinds, *ranked_, threads);
  const std::vector<double> pointwise_values = pointwise_.values();
  std::vector<double> values;
  auto pointwise = pointwise_values.begin();
  auto ranked = ranked_values.begin();
  for (const MetricFunction& metric : metrics_) switch (metric_of(metric.kind).family) {
      case MetricFamily::pointwise:
        values.push_back(*pointwise++);
        break;
      case MetricFamily::counts:
        values.push_back(counts_metric(metric, *counts_));
        break;
      case MetricFamily::ranked:
        values.push_back(*ranked++);
        break;
    }
  return values;
}

}  // namespace sheaf
