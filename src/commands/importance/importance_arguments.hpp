// The arguments of `sheaf importance`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/importance/importance_request.hpp"
#include "commands/line/arguments.hpp"

namespace sheaf {

const LineOptions& importance_options();

/// `arguments`: after the name of the command. Throws UsageError.
ImportanceArguments parse_importance_arguments(const std::vector<std::string>& arguments);

std::string importance_help();

}  // namespace sheaf
