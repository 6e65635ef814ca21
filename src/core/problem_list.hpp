// Several problems in the message of one error.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// The message of an error with these problems. It is not separated by line ends, because names of files in a message
/// may contain them. Pure.
std::string problem_list(const std::vector<std::string>& problems);

/// The problems of a message; those of other messages are one problem. Pure.
std::vector<std::string> problems_of(const std::string& message);

}  // namespace sheaf
