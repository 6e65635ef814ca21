// Curves and counts of predictions for held-out rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/plot/thinning.hpp"

namespace sheaf {

/// Predictions of the best trial for the rows that it held out. With several repeats, a row occurs several times.
struct HeldOutRows {
  enum class Kind { classes, labels, values };
  Kind kind = Kind::values;
  std::size_t outputs = 1;            ///< numbers per row
  bool has_probabilities = false;     ///< whether outputs are probabilities
  std::vector<std::int64_t> classes;  ///< [rows], with Kind::classes
  std::vector<double> targets;        ///< [rows, outputs], otherwise
  std::vector<double> predictions;    ///< [rows, outputs]
  bool is_part = false;               ///< whether rows were left out, because there are too many

  std::size_t rows() const { return outputs > 0 ? predictions.size() / outputs : 0; }
  double prediction(std::size_t row, std::size_t output) const { return predictions[row * outputs + output]; }
};

/// The counts [classes, classes] of rows by class and predicted class: the one with the largest output, the first of
/// several.
std::vector<std::int64_t> confusion_counts(const HeldOutRows& rows);

struct ClassScores {
  std::int64_t rows = 0;
  double precision = 0, recall = 0, f1 = 0;  ///< 0 without predictions or rows of the class, as in scikit-learn
};

/// The scores of each class.
std::vector<ClassScores> class_scores(const std::vector<std::int64_t>& confusion, std::size_t classes);

/// A decision curve and its area: of the ROC curve, or the average precision.
struct DecisionCurve {
  std::vector<Point> points;
  double area = 0;  ///< NaN if a row of the class, or of no other class, is missing
};

/// The outputs of one class, or label, against all others: false positive rate and true positive rate.
DecisionCurve roc_curve(const HeldOutRows& rows, std::size_t output);
/// Recall and precision. The area is the average precision, a sum of steps as in scikit-learn.
DecisionCurve precision_recall_curve(const HeldOutRows& rows, std::size_t output);

/// One bin of a reliability diagram.
struct ReliabilityBin {
  std::int64_t rows = 0;
  double confidence = 0;  ///< mean probability of the predicted class
  double accuracy = 0;
};

/// 15 bins of equal width over the probability of the predicted class, as for the metric ece; with labels, over the
/// probabilities of all labels.
std::vector<ReliabilityBin> reliability_bins(const HeldOutRows& rows);

}  // namespace sheaf
