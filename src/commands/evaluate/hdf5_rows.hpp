// The rows of an HDF5 file, for an evaluation.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "commands/evaluate/evaluated_rows.hpp"
#include "data/data_description.hpp"

namespace sheaf {

/// Opens the file. With names of features or classes in both the file and `model`, which describes the data of the
/// model's training, columns are reordered and labels renumbered by name. Throws RunError for the first problem, such
/// as a missing column, with `model_name` ("model 'm.pt'"). Local.
std::unique_ptr<EvaluatedRows> open_hdf5_rows(const DataOptions& options, TargetsMode mode,
                                              const DataDescription& model, const std::string& model_name);

}  // namespace sheaf
