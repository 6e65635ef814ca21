// The arguments of `sheaf preprocess`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/line/arguments.hpp"
#include "commands/preprocess/preprocess_job.hpp"

namespace sheaf {

const LineOptions& preprocess_options();

/// `arguments`: after the name of the command. Throws UsageError.
PreprocessRequest parse_preprocess_arguments(const std::vector<std::string>& arguments);

std::string preprocess_help();

}  // namespace sheaf
