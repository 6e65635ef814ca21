// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// The options of a job besides its study.
struct RunRequest {
  std::string command_line;  ///< for the provenance
  bool resume = false;       ///< continue the run if the directory has one
  bool force = false;        ///< accept changed data and another version of the program
};

}  // namespace sheaf
