// The result of an import: features and targets as data/README.md documents them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/hdf5/number_array.hpp"
#include "study/study.hpp"

namespace sheaf {

struct ImportedData {
  NumberArray features;                  ///< [rows, ...]
  NumberArray targets;                   ///< classes: int64 [rows], not negative; else real, [rows] or [rows, outputs]
  std::vector<std::string> class_names;  ///< of labels that were numbered here, by class; else empty

  /// The highest label + 1; 0 for regression.
  std::int64_t classes() const;
};

/// Targets from an array of numbers: class labels for classification and, without a task, when they are integers, one
/// per row. Throws RunError naming `name` when they are not such targets.
NumberArray as_targets(NumberArray array, std::optional<Task> task, const std::string& name);

/// Throws RunError, naming the files, unless there are rows and features, as many rows of each, and every number is
/// finite in 32-bit floating point.
void require_fit(const ImportedData& data, const std::string& features_name, const std::string& targets_name);

}  // namespace sheaf
