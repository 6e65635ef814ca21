// The text of `sheaf verify`. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/train/verify/sample_comparison.hpp"
#include "commands/train/verify/stored_sample.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// One line per iteration that differs, then the summary: for each kind of comparison, with its reason, how many
/// iterations are the same. `compared`: ascending. `sample_size`: more than compared if the job was stopped.
std::string verify_text(const Plan& plan, const std::vector<ComparedIteration>& compared, std::int64_t sample_size,
                        const LeftOut& left_out);

}  // namespace sheaf
