// Metrics of classes that are computed from counts of labels and predictions; with several labels per row, each label
// is a class. Source: scikit-learn's f1_score, precision_score and recall_score with the average in the name, or of one
// class against the others,
// balanced_accuracy_score and matthews_corrcoef.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "study/metrics.hpp"
#include "training/metrics/scored_rows.hpp"

namespace sheaf {

/// The margins and the diagonal of the confusion matrix, which grow with the classes and not with their square. The
/// order of rows without weights does not matter: their counts are exact.
class ClassCounts {
 public:
  explicit ClassCounts(std::int64_t classes) : numbers_(static_cast<std::size_t>(classes) * per_class) {}
  /// Restores numbers().
  explicit ClassCounts(std::vector<double> numbers) : numbers_(std::move(numbers)) {}

  void add(const ScoredRows& rows);
  void append(const ClassCounts& other);

  /// The sums over all classes, as those of one class.
  ClassCounts total() const;

  std::int64_t classes() const { return static_cast<std::int64_t>(numbers_.size() / per_class); }
  /// Sums of weights: of the rows with this label, of those predicted as this class, and of those with both.
  double labeled(std::int64_t label) const { return at(label, labeled_weight); }
  double predicted(std::int64_t label) const { return at(label, predicted_weight); }
  double right(std::int64_t label) const { return at(label, right_weight); }
  /// Whether any row has this label or was predicted as this class; with several labels per row, true for all of them.
  bool occurs(std::int64_t label) const { return at(label, rows_of_class) > 0; }

  /// The whole state, to be sent between ranks.
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  enum Number : std::size_t { labeled_weight, predicted_weight, right_weight, rows_of_class, per_class };

  void add_several(const ScoredRows& rows);

  double at(std::int64_t label, Number number) const {
    return numbers_[static_cast<std::size_t>(label) * per_class + number];
  }
  double& at(std::int64_t label, Number number) {
    return numbers_[static_cast<std::size_t>(label) * per_class + number];
  }

  std::vector<double> numbers_;  // [classes, per_class]
};

/// One class against all others. Without rows or predictions of the class, its values are 0.
struct ClassScores {
  double precision = 0, recall = 0, f1 = 0;
  double rows = 0;  ///< with its label (their weights)
};
ClassScores class_scores(const ClassCounts& counts, std::int64_t label);

/// The value of a metric of the family `counts`. Requires at least one row.
double counts_metric(const MetricFunction& metric, const ClassCounts& counts);

}  // namespace sheaf
