// The command line of `sheaf preprocess`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "run/execute_preprocess.hpp"

namespace sheaf {

/// `words`: what follows the command's name. Throws UsageError with one sentence.
PreprocessRequest parse_preprocess_words(const std::vector<std::string>& words);

std::string preprocess_help();

}  // namespace sheaf
