// A check with each instruction set that vectorised code was compiled for and this processor has.
// SPDX-License-Identifier: MIT
#pragma once

#include <hwy/highway.h>

#include "support/catch.hpp"

namespace sheaf::test {

/// Calls check() with each instruction set of this processor in turn.
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
