// Predictions of saved models for rows of a run's own data.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "data/file_schema.hpp"
#include "data/row_set.hpp"
#include "models/saved_model.hpp"
#include "training/metrics/scoring.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The predictions of the models, more than one of which are an ensemble, [rows, outputs], as those of MeanPredictor.
/// Reads the features of streamed data from `file`. `weights`: [models]; empty: all are equal. Takes one core. Throws
/// RunError. Local.
std::vector<float> predict_rows(const TrainingContext& context, const std::optional<FileSchema>& file,
                                const RowSet& rows, const std::vector<OpenedModel>& models,
                                const std::vector<double>& weights, const Scoring& scoring);

}  // namespace sheaf
