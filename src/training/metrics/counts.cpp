// SPDX-License-Identifier: MIT
#include "training/metrics/counts.hpp"

#include <cmath>
#include <stdexcept>

namespace sheaf {
namespace {

// The mean of value(class) over the classes for which counts(class) is true; NaN without any.
template <class Counts, class Value>
double mean_over_classes(const ClassCounts& counts, const Counts& counted, const Value& value) {
  double sum = 0, count = 0;
  for (std::int64_t label = 0; label < counts.classes(); ++label)
    if (counted(label)) {
      sum += value(label);
      ++count;
    }
  return sum / count;
}

// A ratio of counts of a class; 0 for a class without weights, as with scikit-learn's zero_division.
double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double f1(const ClassCounts& counts, std::int64_t label) {
  return ratio(2 * counts.right(label), counts.labeled(label) + counts.predicted(label));
}

double precision(const ClassCounts& counts, std::int64_t label) {
  return ratio(counts.right(label), counts.predicted(label));
}

double recall(const ClassCounts& counts, std::int64_t label) {
  return ratio(counts.right(label), counts.labeled(label));
}

// Classes that occur neither as labels nor as predictions do not count.
template <class Value>
double macro(const ClassCounts& counts, const Value& value) {
  return mean_over_classes(
      counts, [&](std::int64_t label) { return counts.occurs(label); },
      [&](std::int64_t label) { return value(counts, label); });
}

// The mean over the classes, each with the weight of the rows that have its label.
template <class Value>
double weighted(const ClassCounts& counts, const Value& value) {
  double sum = 0, weights = 0;
  for (std::int64_t label = 0; label < counts.classes(); ++label) {
    sum += counts.labeled(label) * value(counts, label);
    weights += counts.labeled(label);
  }
  return ratio(sum, weights);
}

// The value for all decisions on rows and labels, as if they were those on one label.
template <class Value>
double micro(const ClassCounts& counts, const Value& value) {
  return value(counts.total(), 0);
}

// The correlation of labels and predictions; 0 if all labels or all predictions are equal. Source: Gorodkin,
// Computational Biology and Chemistry 2004.
double matthews(const ClassCounts& counts) {
  double labeled_sum = 0, predicted_sum = 0, right_sum = 0;
  for (std::int64_t label = 0; label < counts.classes(); ++label) {
    labeled_sum += counts.labeled(label);
    predicted_sum += counts.predicted(label);
    right_sum += counts.right(label);
  }
  double chance = 0, label_variance = 0, prediction_variance = 0;
  for (std::int64_t label = 0; label < counts.classes(); ++label) {
    chance += counts.labeled(label) * counts.predicted(label);
    label_variance += counts.labeled(label) * (labeled_sum - counts.labeled(label));
    prediction_variance += counts.predicted(label) * (predicted_sum - counts.predicted(label));
  }
  const double variance = std::sqrt(label_variance) * std::sqrt(prediction_variance);
  return variance > 0 ? (right_sum * labeled_sum - chance) / variance : 0;
}

// The mean recall of the classes that occur as labels.
double balanced_accuracy(const ClassCounts& counts) {
  return mean_over_classes(
      counts, [&](std::int64_t label) { return counts.labeled(label) > 0; },
      [&](std::int64_t label) { return recall(counts, label); });
}

}  // namespace

void ClassCounts::add(const ScoredRows& rows) {
  if (rows.labels == nullptr) return add_several(rows);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const std::int64_t label = rows.labels[row], predicted = rows.predicted_labels[row];
    const double weight = rows.weight(row);
    at(label, labeled_weight) += weight;
    at(predicted, predicted_weight) += weight;
    at(label, rows_of_class) += 1;
    at(predicted, rows_of_class) += 1;
    if (label == predicted) at(label, right_weight) += weight;
  }
}

void ClassCounts::add_several(const ScoredRows& rows) {
  std::int64_t index = 0;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const double weight = rows.weight(row);
    for (std::int64_t label = 0; label < classes(); ++label, ++index) {
      const bool has = rows.targets[index] != 0, predicted = rows.predicted_labels[index] != 0;
      if (has) at(label, labeled_weight) += weight;
      if (predicted) at(label, predicted_weight) += weight;
      if (has && predicted) at(label, right_weight) += weight;
      at(label, rows_of_class) += 1;
    }
  }
}

ClassCounts ClassCounts::total() const {
  ClassCounts sum(1);
  for (std::size_t index = 0; index < numbers_.size(); ++index) sum.numbers_[index % per_class] += numbers_[index];
  return sum;
}

void ClassCounts::append(const ClassCounts& other) {
  for (std::size_t index = 0; index < numbers_.size(); ++index) numbers_[index] += other.numbers_[index];
}

ClassScores class_scores(const ClassCounts& counts, std::int64_t label) {
  return {precision(counts, label), recall(counts, label), f1(counts, label), counts.labeled(label)};
}

double counts_metric(const MetricFunction& metric, const ClassCounts& counts) {
  switch (metric.kind) {
    case MetricKind::f1_macro:
      return macro(counts, f1);
    case MetricKind::f1_micro:
      return micro(counts, f1);
    case MetricKind::precision_micro:
      return micro(counts, precision);
    case MetricKind::recall_micro:
      return micro(counts, recall);
    case MetricKind::f1_weighted:
      return weighted(counts, f1);
    case MetricKind::precision_macro:
      return macro(counts, precision);
    case MetricKind::precision_weighted:
      return weighted(counts, precision);
    case MetricKind::recall_macro:
      return macro(counts, recall);
    case MetricKind::recall_weighted:
      return weighted(counts, recall);
    case MetricKind::f1_of_class:
      return f1(counts, static_cast<std::int64_t>(metric.parameter));
    case MetricKind::precision_of_class:
      return precision(counts, static_cast<std::int64_t>(metric.parameter));
    case MetricKind::recall_of_class:
      return recall(counts, static_cast<std::int64_t>(metric.parameter));
    case MetricKind::matthews:
      return matthews(counts);
    case MetricKind::balanced_accuracy:
      return balanced_accuracy(counts);
    default:
      throw std::logic_error("the metric is not computed from counts");
  }
}

}  // namespace sheaf
