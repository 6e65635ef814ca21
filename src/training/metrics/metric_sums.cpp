// SPDX-License-Identifier: MIT
#include "training/metrics/metric_sums.hpp"
#include "study/losses.hpp"

#include <utility>

#include "training/metrics/pointwise.hpp"

namespace sheaf {

MetricSums::MetricSums(const Scoring& scoring, std::vector<MetricFunction> metrics) : metrics_(std::move(metrics)) {
  for (const MetricFunction& metric : metrics_) switch (metric_of(metric.kind).family) {
      case MetricFamily::pointwise:
        pointwise_.push_back(make_pointwise(metric, scoring));
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
  for (const auto& accumulator : pointwise_) accumulator->add(rows);
  if (counts_) counts_->add(rows);
  if (ranked_) ranked_->add(rows);
}

void MetricSums::append(const MetricSums& later) {
  for (std::size_t number = 0; number < pointwise_.size(); ++number)
    pointwise_[number]->append(*later.pointwise_[number]);
  if (counts_) counts_->append(*later.counts_);
  if (ranked_) ranked_->append(*later.ranked_);
}

std::vector<double> MetricSums::values(std::int64_t threads) const {
  std::vector<MetricKind> ranked_kinds;
  for (const MetricFunction& metric : metrics_)
    if (metric_of(metric.kind).family == MetricFamily::ranked) ranked_kinds.push_back(metric.kind);
  std::vector<double> ranked_values;
  if (ranked_) ranked_values = ranked_metrics(ranked_kinds, *ranked_, threads);
  std::vector<double> values;
  auto accumulator = pointwise_.begin();
  auto ranked = ranked_values.begin();
  for (const MetricFunction& metric : metrics_) switch (metric_of(metric.kind).family) {
      case MetricFamily::pointwise:
        values.push_back((*accumulator++)->value());
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
