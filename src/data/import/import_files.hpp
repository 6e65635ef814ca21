// Imports files of any supported format.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_options.hpp"
#include "data/import/imported_data.hpp"

namespace sheaf {

enum class ImportFormat { csv, npy, npz, idx, cifar10 };

/// The format by the ending of the file name, without ".gz"; nothing for other endings.
std::optional<ImportFormat> format_of(const std::string& path);

struct ImportOptions {
  ImportFormat format = ImportFormat::csv;
  CsvOptions csv;        ///< `task`, `task_option`, `like`, `numbers_only` and `reads_targets` apply to all formats
  std::string features;  ///< features and targets: members of an .npz archive; empty: the default names
  std::string targets;
  bool are_new_data = false;  ///< whether a model is applied to the rows, instead of trained on them
};

/// Imports files, whose number must fit the format: npy takes features and, optionally, targets; npz one file; idx
/// pairs of images and labels. With `like`, features must have its number of columns. Throws RunError.
ImportedData import_files(const std::vector<std::string>& files, const ImportOptions& options);

}  // namespace sheaf
