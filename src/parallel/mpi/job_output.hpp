// Prints the result of a job.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Like print_result (core/standard_output.hpp), and keeps the order of log and result: a launcher reads both streams
/// of a rank separately, and shows them in the order in which it reads them. Under a launcher, waits until it has read
/// the log, at most a second. For one rank, after its last line of the log. Throws RunError. Local.
void print_job_result(const std::string& text, const std::string& advice = "Redirect it to a disk with free space.");

}  // namespace sheaf
