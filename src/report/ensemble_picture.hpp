// The ensemble of trials: how its loss fell with each step of its selection. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// The growth of the ensemble, or the reason why there is none.
Picture ensemble_growth(const RunReport& report);

}  // namespace sheaf
