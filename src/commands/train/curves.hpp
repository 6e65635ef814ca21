// The epochs of all iterations, for studies that ask for curves.
// SPDX-License-Identifier: MIT
#pragma once

#include "study/plan.hpp"

namespace sheaf {

/// Throws UsageError when the plan's iterations have more than 2^31 - 1 epochs in all: more cannot be gathered. Pure.
void require_countable_epochs(const Plan& plan);

}  // namespace sheaf
