// Learning curves. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// The losses after each epoch, the best five curves in color.
Picture learning_curves(const RunReport& report);

}  // namespace sheaf
