// The importance of the features, which `sheaf importance --save` has stored in the run directory. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// A bar for each of the most important features, or the reason why there is none.
Picture feature_importance(const RunReport& report);

/// The importances as a section of a text report; empty if the run has none.
std::string feature_importance_text(const RunReport& report);

}  // namespace sheaf
