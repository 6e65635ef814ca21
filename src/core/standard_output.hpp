// Prints the results of commands.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace sheaf {

/// Opens stdin, stdout and stderr if the caller has closed them, as descriptors that can be neither read nor written.
/// Otherwise the next open() would return one of these numbers, and output would go to that file. Call it once, before
/// any file is opened.
void reserve_standard_streams();

/// The number of columns for output on stdout: that of the environment variable COLUMNS, or of the terminal, or 100 if
/// stdout is not a terminal. Local.
std::size_t output_width();

/// Writes `text` to stdout, with '?' for control characters other than line ends. Throws RunError if not all of it can
/// be written; the message ends with `advice`. Local.
void print_result(const std::string& text, const std::string& advice = "Redirect it to a disk with free space.");

}  // namespace sheaf
