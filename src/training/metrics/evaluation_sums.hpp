// What an evaluation adds up over any number of rows: pieces of rows are summed apart and then put together in their
// order, which makes the result the same to the bit whoever summed them. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// What the outputs are, and how they are judged.
struct Scoring {
  Task task = Task::regression;
  LossKind loss = LossKind::mse;
  bool probabilities = false;  ///< classification: outputs are class probabilities (of an ensemble), not logits
  std::int64_t output_count = 0;
};

class EvaluationSums {
 public:
  explicit EvaluationSums(const Scoring& scoring);
  /// From numbers().
  EvaluationSums(const Scoring& scoring, const double* numbers);

  /// Adds rows of a classification: their outputs, the labels that these mean (predicted_label()), and the true ones,
  /// each below the number of outputs.
  void add_labels(const float* outputs, const std::int64_t* predicted, const std::int64_t* labels, std::int64_t count);
  /// Adds rows of a regression: outputs and targets, [count, outputs].
  void add_targets(const float* outputs, const float* targets, std::int64_t count);

  /// Adds the rows that come after these.
  void append(const EvaluationSums& later);

  /// Mean over rows (and outputs, for mse and bce), as TrainOptions::loss means it.
  double loss() const;
  /// Accuracy or R2, as prediction_score().
  double score() const;

  /// All that it holds, number_count(scoring) of them: to travel between ranks.
  const std::vector<double>& numbers() const { return numbers_; }
  static std::int64_t number_count(const Scoring& scoring);

 private:
  void add_row(const float* outputs, const float* targets);

  Scoring scoring_;
  std::vector<double> numbers_;  // rows, summed losses, right ones; for each output: mean, squares about it, residuals
};

/// The place of the largest output, the first of equals.
std::int64_t predicted_label(const float* outputs, std::int64_t output_count);

}  // namespace sheaf
