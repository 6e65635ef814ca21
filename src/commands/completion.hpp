// Completion of command lines, for shells. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// The candidates for the last of `words`, the words of a command line after the name of the program; the last one may
/// be empty or incomplete. Each candidate begins with that word: a command, a topic of the help, an option ("--key=" if
/// a value follows), or an option with one of its values. Empty: the shell completes the names of files.
std::vector<std::string> completions(const std::vector<std::string>& words);

}  // namespace sheaf
