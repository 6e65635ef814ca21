// The predicted class of a row, or its predicted labels. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "training/metrics/scoring.hpp"

namespace sheaf {

/// The index of the largest of `output_count` outputs; the first one if several are equal. NaN never counts as larger.
std::int64_t predicted_label(const float* outputs, std::int64_t output_count);

/// Replaces `predicted` by the predictions of `rows` rows of outputs. classification: [rows], predicted_label() or, of
/// two classes with a threshold, the positive one from this probability on. multilabel: [rows, outputs], 1 from this
/// probability on (without a threshold: 0.5), otherwise 0. regression: empty.
void predict_labels(const Scoring& scoring, std::optional<double> threshold, const float* outputs, std::int64_t rows,
                    std::vector<std::int64_t>& predicted);

}  // namespace sheaf
