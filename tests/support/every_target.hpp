// Runs a check with each instruction set that the vectorized code was compiled for and this processor supports.
// SPDX-License-Identifier: MIT
#pragma once

#include <hwy/highway.h>

#include "support/catch.hpp"

namespace sheaf::test {

/// Calls check() once for each instruction set.
template <class Check>
void on_every_target(const Check& check) {
  const auto targets = hwy::SupportedAndGeneratedTargets();
  REQUIRE_FALSE(targets.empty());
  for (const std::int64_t target : targets) {
    INFO("on " << hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    check();
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace sheaf::test
