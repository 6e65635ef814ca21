// Evaluates models on ranges of rows in one lane.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "commands/evaluate/evaluated_model.hpp"
#include "commands/evaluate/prediction_file.hpp"
#include "core/index_range.hpp"
#include "engines/mean_predictor.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/run_options.hpp"
#include "training/metrics/counts.hpp"
#include "training/metrics/evaluation_sums.hpp"
#include "training/metrics/ranked.hpp"

namespace sheaf {

/// The number of rows whose features, which are in memory, a lane on this device predicts at once. Pure.
std::int64_t rows_at_once(const EvaluatedModel& evaluated, LaneDevice device);

/// The part of the results that is summed in row order, so that it has the same bits for any number of lanes and ranks.
struct OrderedResult {
  EvaluationSums sums;
  std::optional<ClassCounts> counts;  ///< for classes and labels of rows with weights

  explicit OrderedResult(const EvaluatedModel& evaluated);
  /// Restores numbers().
  OrderedResult(const EvaluatedModel& evaluated, const double* numbers);
  void add(const ScoredRows& rows);
  void append(const OrderedResult& later);
  /// The whole state, to be sent between ranks. Their number depends only on the model and on whether rows have
  /// weights.
  std::vector<double> numbers() const;
};

/// The part of the results for which the order of the rows does not matter, because it counts rows or sorts them.
struct UnorderedResult {
  std::int64_t confused_classes = 0;
  std::vector<std::int64_t> confusion;  ///< [confused_classes, confused_classes] numbers of rows, label by prediction
  std::optional<ClassCounts> counts;    ///< for classes and labels of rows without weights
  std::optional<RankedRows> ranked;     ///< if all rows fit into memory

  UnorderedResult(const EvaluatedModel& evaluated, bool keeps_rows);
  void add(const ScoredRows& rows);
  void append(const UnorderedResult& other);
};

/// Predicts rows with one or several models and scores them, segment by segment. Not shared between threads.
class EvaluationLane {
 public:
  /// `predictions`: null without a file. `keeps_rows`: for ranked metrics. All references outlive the lane.
  EvaluationLane(const EvaluatedModel& evaluated, const RunOptions& run, LaneDevice device,
                 const PredictionFile* predictions, bool keeps_rows);

  /// The results of the rows of these batches, except those of unordered(). Throws RunError for models without finite
  /// outputs.
  OrderedResult evaluate(IndexRange batches);

  /// Of all rows so far.
  const UnorderedResult& unordered() const { return unordered_; }
  std::int64_t empty_cells() const { return reader_->empty_cells(); }
  std::int64_t unknown_cells() const { return reader_->unknown_cells(); }

 private:
  // Reads rows and evaluates them in parts, since the outputs of all of them may be large.
  void evaluate_rows(IndexRange rows, OrderedResult& result);

  // `first`: the number of rows before these among those that were read.
  void evaluate_part(IndexRange rows, std::int64_t first, OrderedResult& result);

  // Empty cells are filled in all rows that were read, once for each model.
  void predict(std::int64_t first, std::int64_t count);

  void add_to(OrderedResult& result, std::int64_t first, std::int64_t count);

  const EvaluatedModel& evaluated_;
  const PredictionFile* predictions_;
  UnorderedResult unordered_;
  std::unique_ptr<RowReader> reader_;
  MeanPredictor predictor_;
  std::int64_t batches_at_once_ = 1;
  std::int64_t rows_at_once_ = 1;
  std::vector<float> outputs_;
  std::vector<float> repeated_targets_;  // of quantiles
  std::vector<std::int64_t> labels_;     // of predict_labels()
};

}  // namespace sheaf
