// The arguments of `sheaf evaluate`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/evaluate/evaluation_job.hpp"

namespace sheaf {

/// What to evaluate, and how to tell it.
struct EvaluateArguments {
  EvaluationRequest request;
  bool json = false;
};

/// `arguments`: those after the command's name. Throws UsageError with one sentence.
EvaluateArguments parse_evaluate_arguments(const std::vector<std::string>& arguments);

std::string evaluate_help();

}  // namespace sheaf
