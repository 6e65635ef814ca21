// The report as one HTML page that requests nothing from outside. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace sheaf {

/// The page of one run.
std::string html_page(const RunReport& report);

/// The page that compares several runs.
std::string html_comparison(const std::vector<RunReport>& reports);

}  // namespace sheaf
