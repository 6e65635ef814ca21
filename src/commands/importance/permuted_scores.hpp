// Scores of a model on rows of which some features are permuted, in one lane.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commands/evaluate/evaluated_model.hpp"
#include "commands/importance/rows_in_memory.hpp"
#include "core/aligned_vector.hpp"
#include "core/index_range.hpp"
#include "engines/mean_predictor.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/metrics.hpp"
#include "study/run_options.hpp"
#include "training/metrics/scored_rows.hpp"

namespace sheaf {

/// Features [begin, end) of each row r are replaced by those of row order[r].
struct PermutedFeatures {
  IndexRange features;
  std::vector<std::int64_t> order;  ///< [rows]
};

/// Not shared between threads.
class PermutedScores {
 public:
  /// `metric`: none for the loss. All references outlive the object.
  PermutedScores(const EvaluatedModel& evaluated, const RowsInMemory& rows, const std::optional<MetricFunction>& metric,
                 const RunOptions& run, LaneDevice device);

  /// The score of all rows, or NaN if it is not defined; `permuted`: null for the rows as they are. The same bits in
  /// all lanes on devices of one kind. Throws RunError for models without finite outputs.
  double score(const PermutedFeatures* permuted);

 private:
  // Predicts all rows, some at a time, and adds them to `sums`.
  template <class Sums>
  void add_rows(const PermutedFeatures* permuted, Sums& sums);

  // Predicts rows, and returns them with their targets.
  ScoredRows predict(IndexRange rows, const PermutedFeatures* permuted);

  // The features of rows; those that are permuted are in a copy.
  const float* features_of(IndexRange rows, const PermutedFeatures* permuted);

  const EvaluatedModel& evaluated_;
  const RowsInMemory& rows_;
  const std::optional<MetricFunction> metric_;
  const std::int64_t width_, rows_at_once_;
  MeanPredictor predictor_;
  FilledRows filled_;
  AlignedVector<float> features_;
  std::vector<float> outputs_, repeated_targets_;
  std::vector<std::int64_t> labels_;  // of predict_labels()
};

}  // namespace sheaf
