// SPDX-License-Identifier: MIT
#include "training/metrics/predicted_label.hpp"

#include <cstddef>

namespace sheaf {

// Uses no branches, because every other one would be mispredicted.
std::int64_t predicted_label(const float* outputs, std::int64_t output_count) {
  std::int64_t label = 0;
  float largest = outputs[0];
  for (std::int64_t output = 1; output < output_count; ++output) {
    const bool larger = largest < outputs[output];
    label = larger ? output : label;
    largest = larger ? outputs[output] : largest;
  }
  return label;
}

void predict_labels(const Scoring& scoring, std::optional<double> threshold, const float* outputs, std::int64_t rows,
                    std::vector<std::int64_t>& predicted) {
  const std::int64_t width = scoring.output_count;
  const auto reaches = [&](const float* of_row, std::int64_t label, double least) {
    return class_probability(scoring, of_row, row_scale(scoring, of_row), label) >= least;
  };
  predicted.clear();
  if (scoring.task == Task::regression) return;
  for (const float* row = outputs; row != outputs + rows * width; row += width) {
    if (scoring.task == Task::multilabel)
      for (std::int64_t label = 0; label < width; ++label)
        predicted.push_back(reaches(row, label, threshold.value_or(0.5)) ? 1 : 0);
    else if (threshold)
      predicted.push_back(reaches(row, scoring.positive, *threshold) ? scoring.positive : 1 - scoring.positive);
    else
      predicted.push_back(predicted_label(row, width));
  }
}

}  // namespace sheaf
