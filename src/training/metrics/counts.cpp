// SPDX-License-Identifier: MIT
#include "training/metrics/counts.hpp"

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

// Classes that occur neither as labels nor as predictions do not count. The score of a class without weights is 0.
double f1_macro(const ClassCounts& counts) {
  return mean_over_classes(
      counts, [&](std::int64_t label) { return counts.occurs(label); },
      [&](std::int64_t label) {
        const double both = counts.labeled(label) + counts.predicted(label);
        return both > 0 ? 2 * counts.right(label) / both : 0;
      });
}

// The mean recall of the classes that occur as labels.
double balanced_accuracy(const ClassCounts& counts) {
  return mean_over_classes(
      counts, [&](std::int64_t label) { return counts.labeled(label) > 0; },
      [&](std::int64_t label) { return counts.right(label) / counts.labeled(label); });
}

}  // namespace

void ClassCounts::add(const ScoredRows& rows) {
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

void ClassCounts::append(const ClassCounts& other) {
  for (std::size_t index = 0; index < numbers_.size(); ++index) numbers_[index] += other.numbers_[index];
}

double counts_metric(MetricKind metric, const ClassCounts& counts) {
  switch (metric) {
    case MetricKind::f1_macro:
      return f1_macro(counts);
    case MetricKind::balanced_accuracy:
      return balanced_accuracy(counts);
    default:
      throw std::logic_error("the metric is not computed from counts");
  }
}

}  // namespace sheaf
