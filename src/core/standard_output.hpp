// The results that a command prints.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Gives stdin, stdout and stderr a descriptor where the caller has closed them, one that can neither be read nor
/// written: otherwise the next file that is opened would take the number, and what is printed would go into it. Called
/// once, before any file is opened.
void reserve_standard_streams();

/// Writes `text` to stdout. Throws RunError when not all of it could be written; the message ends with `advice`. Local.
void print_result(const std::string& text, const std::string& advice = "Send it to a place with free space.");

}  // namespace sheaf
