// Imports features and targets from two .npy files or from one .npz archive of NumPy.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/imported_data.hpp"
#include "files/byte_source.hpp"

namespace sheaf {

/// Imports one .npy file of features and one of targets, which may be null. Throws RunError.
ImportedData import_npy(ByteSource& features, ByteSource* targets, const TargetOptions& options);

struct NpzOptions {
  std::string features;     ///< member name without .npy; empty: the first that exists of X, features, data, x_train,
                            ///< X_train, x_test, X_test
  std::string targets;      ///< member name without .npy; empty: the one that belongs to the features, otherwise the
                            ///< first that exists of y, targets, labels, target, y_train, Y_train, y_test, Y_test
  bool has_targets = true;  ///< false: targets are not read
  TargetOptions coding;
  bool are_new_data = false;  ///< for evaluate and predict: of x_train and x_test, the latter
};

/// Imports an archive. `archive` is the content of the file. Unpacks a member only if the size in its .npy header
/// matches the size in the archive's directory. Notes which arrays were taken if it has x_train and x_test and
/// options.features does not decide. Throws RunError.
ImportedData import_npz(std::string_view archive, const std::string& name, const NpzOptions& options);

}  // namespace sheaf
