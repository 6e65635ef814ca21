// The arguments of `sheaf import`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/import/csv.hpp"
#include "study/study.hpp"

namespace sheaf {

enum class ImportFormat { csv, npy, npz, idx, cifar10 };

/// What to import, and how.
struct ImportRequest {
  std::vector<std::string> inputs;  ///< as many as the format takes
  std::string output;
  ImportFormat format = ImportFormat::csv;
  CsvOptions csv;  ///< with `task`
  std::optional<Task> task;
  std::string features;  ///< members of an .npz archive; empty: the usual names
  std::string targets;
  int compression = 0;  ///< of gzip, 0 to 9
  bool overwrite = false;
};

/// `arguments`: those after the command's name. Throws UsageError with one sentence.
ImportRequest parse_import_arguments(const std::vector<std::string>& arguments);

/// The format that a file's name tells; nothing when it tells none. ".gz" at its end says nothing.
std::optional<ImportFormat> format_of(const std::string& path);

std::string import_help();

}  // namespace sheaf
