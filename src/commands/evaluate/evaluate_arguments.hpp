// The arguments of `sheaf evaluate` and `sheaf predict`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/evaluate/evaluation_request.hpp"
#include "commands/line/arguments.hpp"

namespace sheaf {

const LineOptions& evaluate_options();

/// `arguments`: after the name of the command. Throws UsageError.
EvaluateArguments parse_evaluate_arguments(const std::vector<std::string>& arguments);

std::string evaluate_help();

const LineOptions& predict_options();

/// Same, for `sheaf predict`.
EvaluateArguments parse_predict_arguments(const std::vector<std::string>& arguments);

std::string predict_help();

}  // namespace sheaf
