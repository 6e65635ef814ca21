// SPDX-License-Identifier: MIT
#include "commands/importance/permuted_scores.hpp"

#include <algorithm>

#include "commands/evaluate/evaluation_lane.hpp"
#include "training/metrics/evaluation_sums.hpp"
#include "training/metrics/metric_sums.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf {

PermutedScores::PermutedScores(const EvaluatedModel& evaluated, const RowsInMemory& rows,
                               const std::optional<MetricFunction>& metric, const RunOptions& run, LaneDevice device)
    : evaluated_(evaluated),
      rows_(rows),
      metric_(metric),
      width_(evaluated.rows->feature_count()),
      rows_at_once_(rows_at_once(evaluated, device)),
      predictor_(evaluated.models, evaluated.model_weights, evaluated.rows->row_shape(), evaluated.scoring, run,
                 device) {}

double PermutedScores::score(const PermutedFeatures* permuted) {
  if (metric_) {
    MetricSums sums(evaluated_.scoring, {*metric_});
    add_rows(permuted, sums);
    return sums.values().front();
  }
  EvaluationSums sums(evaluated_.scoring, {});
  add_rows(permuted, sums);
  return sums.loss();
}

template <class Sums>
void PermutedScores::add_rows(const PermutedFeatures* permuted, Sums& sums) {
  for (std::int64_t begin = 0; begin < rows_.count; begin += rows_at_once_)
    sums.add(predict({begin, std::min(begin + rows_at_once_, rows_.count)}, permuted));
}

ScoredRows PermutedScores::predict(IndexRange rows, const PermutedFeatures* permuted) {
  const std::int64_t count = rows.count();
  const float* const features = features_of(rows, permuted);
  filled_.clear();
  const auto fill = [&](std::size_t model) {  // read_rows() has found values for all empty cells
    return filled_.of(features, count, width_, evaluated_.fills[model], rows.begin, "data");
  };
  outputs_.resize(static_cast<std::size_t>(count * evaluated_.scoring.output_count));
  require_finite_outputs(predictor_.predict(features, count, fill, outputs_.data()), evaluated_);
  // Of a single model, before logits are converted to probabilities, since rounding may make two of them equal.
  predict_labels(evaluated_.scoring, evaluated_.threshold, outputs_.data(), count, labels_);
  const float* const targets =
      rows_.targets == nullptr
          ? nullptr
          : targets_of_outputs(evaluated_, rows_.targets + rows.begin * evaluated_.target_columns(), count,
                               repeated_targets_);
  return {count,          outputs_.data(),
          labels_.data(), rows_.labels == nullptr ? nullptr : rows_.labels + rows.begin,
          targets,        rows_.weights == nullptr ? nullptr : rows_.weights + rows.begin};
}

const float* PermutedScores::features_of(IndexRange rows, const PermutedFeatures* permuted) {
  const float* const unchanged = rows_.features + rows.begin * width_;
  if (permuted == nullptr) return unchanged;
  features_.assign(unchanged, unchanged + rows.count() * width_);
  const auto [begin, end] = permuted->features;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const float* const from = rows_.features + permuted->order[static_cast<std::size_t>(rows.begin + row)] * width_;
    std::copy(from + begin, from + end, features_.data() + row * width_ + begin);
  }
  return features_.data();
}

}  // namespace sheaf
