// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

class RowProbabilities;  // scoring.hpp

/// Rows with the outputs of a model. The arrays belong to the caller.
struct ScoredRows {
  std::int64_t count = 0;
  const float* outputs =
      nullptr;  ///< [count, outputs]: predictions (regression), or logits or probabilities of classes or labels
  const std::int64_t* predicted_labels = nullptr;   ///< of predict_labels(); null for regression
  const std::int64_t* labels = nullptr;             ///< [count], each in 0..outputs-1; classification only
  const float* targets = nullptr;                   ///< [count, outputs]; of labels 0 and 1; null for classification
  const float* weights = nullptr;                   ///< [count], at least 0; null: all are 1
  const RowProbabilities* probabilities = nullptr;  ///< of these rows, for metrics with MetricLosses::probabilities

  /// Rows begin..end-1 of these; `width`: the number of outputs. Without probabilities.
  ScoredRows slice(std::int64_t begin, std::int64_t end, std::int64_t width) const {
    const auto from = [begin](const auto* array, std::int64_t row_values) {
      return array == nullptr ? nullptr : array + begin * row_values;
    };
    return {end - begin,     from(outputs, width), from(predicted_labels, labels == nullptr ? width : 1),
            from(labels, 1), from(targets, width), from(weights, 1)};
  }

  double weight(std::int64_t row) const { return weights == nullptr ? 1 : double{weights[row]}; }
};

}  // namespace sheaf
