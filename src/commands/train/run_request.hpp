// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// The options of a job besides its study.
struct RunRequest {
  std::string command_line;  ///< for the provenance
  bool resume = false;       ///< go on where the directory holds a run of this study
  bool force = false;        ///< also with other data or another version of the program
};

}  // namespace sheaf
