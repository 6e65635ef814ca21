// The arguments of `sheaf evaluate`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/evaluate/evaluation_job.hpp"
#include "commands/line/arguments.hpp"

namespace sheaf {

/// The evaluation and the format of its report.
struct EvaluateArguments {
  EvaluationRequest request;
  bool json = false;
};

const LineOptions& evaluate_options();

/// `arguments`: after the name of the command. Throws UsageError.
EvaluateArguments parse_evaluate_arguments(const std::vector<std::string>& arguments);

std::string evaluate_help();

}  // namespace sheaf
