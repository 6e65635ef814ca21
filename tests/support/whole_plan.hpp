// SPDX-License-Identifier: MIT
#pragma once

#include "study/plan.hpp"

namespace sheaf::test {

/// The study's plan with all iterations in one stage.
inline Plan whole_plan(const Study& study) {
  Plan plan(study);
  plan.add(whole_stage(plan));
  return plan;
}

}  // namespace sheaf::test
