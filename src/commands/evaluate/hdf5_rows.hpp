// The rows of an HDF5 file, for an evaluation.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "commands/evaluate/evaluated_rows.hpp"
#include "models/saved_model.hpp"

namespace sheaf {

/// Opens the file. If both the file and the training data of the model have names of features or classes, columns are
/// reordered and labels renumbered by name. Throws RunError for the first problem, such as a missing column or an
/// uncertain layout of images, with `model_name` ("model 'm.pt'"). Local.
std::unique_ptr<EvaluatedRows> open_hdf5_rows(const DataOptions& options, TargetsMode mode, const OpenedModel& model,
                                              const std::string& model_name);

}  // namespace sheaf
