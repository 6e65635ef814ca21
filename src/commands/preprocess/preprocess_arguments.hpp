// The arguments of `sheaf preprocess`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/preprocess/preprocess_job.hpp"

namespace sheaf {

/// `arguments`: those after the command's name. Throws UsageError with one sentence.
PreprocessRequest parse_preprocess_arguments(const std::vector<std::string>& arguments);

std::string preprocess_help();

}  // namespace sheaf
