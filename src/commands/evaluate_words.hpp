// The command line of `sheaf evaluate`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "run/execute_evaluate.hpp"

namespace sheaf {

/// What to evaluate, and how to tell it.
struct EvaluateWords {
  EvaluationRequest request;
  bool json = false;
};

/// `words`: what follows the command's name. Throws UsageError with one sentence.
EvaluateWords parse_evaluate_words(const std::vector<std::string>& words);

std::string evaluate_help();

}  // namespace sheaf
