// The result of an import: features and targets in the format that data/README.md documents.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/hdf5/number_array.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Features and targets in memory.
struct ImportedData {
  NumberArray features;                  ///< [rows, ...]
  NumberArray targets;                   ///< labels: int64 [rows], >= 0; regression: real, [rows] or [rows, outputs]
  std::vector<std::string> class_names;  ///< names of the classes if the import numbered them; otherwise empty

  /// The largest label + 1; 0 for regression.
  std::int64_t classes() const;
};

/// Converts an array to targets. Without a task, one integer per row means classification, everything else regression.
/// Throws RunError, with `name`, if the array is not valid for the task.
NumberArray as_targets(NumberArray array, std::optional<Task> task, const std::string& name);

/// Throws RunError, with the file names, unless there are rows and features, the numbers of rows are equal, and all
/// values are finite in 32-bit floating point.
void require_fit(const ImportedData& data, const std::string& features_name, const std::string& targets_name);

}  // namespace sheaf
