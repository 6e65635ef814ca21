// The arguments of `sheaf import`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_options.hpp"
#include "study/study.hpp"

namespace sheaf {

enum class ImportFormat { csv, npy, npz, idx, cifar10 };

/// The files to import and the options.
struct ImportRequest {
  std::vector<std::string> inputs;  ///< their number depends on the format
  std::string output;
  ImportFormat format = ImportFormat::csv;
  CsvOptions csv;  ///< without `task` and `like`
  std::optional<Task> task;
  std::string like;      ///< data file or model whose columns and classes are used; empty: none
  std::string features;  ///< features and targets: members of an .npz archive; empty: the default names
  std::string targets;
  int compression = 0;  ///< of gzip, 0 to 9
  bool overwrite = false;
};

/// `arguments`: after the name of the command. Throws UsageError.
ImportRequest parse_import_arguments(const std::vector<std::string>& arguments);

/// The format by the ending of the file name, without ".gz"; nothing for other endings.
std::optional<ImportFormat> format_of(const std::string& path);

std::string import_help();

}  // namespace sheaf
