// Features and targets from NumPy's files: two .npy files, or one .npz archive.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/import/imported_data.hpp"
#include "files/byte_source.hpp"

namespace sheaf {

/// See as_targets for `task`. Throws RunError.
ImportedData import_npy(ByteSource& features, ByteSource& targets, std::optional<Task> task);

struct NpzOptions {
  std::string features;  ///< the member's name, without .npy; empty: the first there is of X, features, data, x_train
  std::string targets;   ///< likewise: y, targets, labels, y_train
  std::optional<Task> task;
};

/// `archive`: the whole file. No member is unpacked before its .npy header has been found to fit the size that the
/// archive declares. Throws RunError.
ImportedData import_npz(std::string_view archive, const std::string& name, const NpzOptions& options);

}  // namespace sheaf
