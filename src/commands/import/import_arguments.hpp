// The arguments of `sheaf import`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/line/arguments.hpp"
#include "data/import/import_files.hpp"

namespace sheaf {

/// The files to import and the options.
struct ImportRequest {
  std::vector<std::string> inputs;  ///< their number depends on the format
  std::string output;
  ImportOptions options;  ///< without `like`
  std::string like;       ///< data file or model whose columns and classes are used; empty: none
  int compression = 0;    ///< of gzip, 0 to 9
  bool overwrite = false;
};

const LineOptions& import_options();

/// `arguments`: after the name of the command. Throws UsageError.
ImportRequest parse_import_arguments(const std::vector<std::string>& arguments);

std::string import_help();

}  // namespace sheaf
