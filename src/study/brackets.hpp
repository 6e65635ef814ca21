// Rungs and brackets of Hyperband and of successive halving. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace sheaf {

/// The epochs after which trials can be compared, ascending: `epochs`, and the next one divided by `factor`, rounded
/// down, as long as that is at least `min_epochs`.
std::vector<std::int64_t> rung_epochs(std::int64_t epochs, std::int64_t factor, std::int64_t min_epochs);

/// The trials of each bracket in one pass of Hyperband. The trials of bracket i, from 0 to `rungs` - 1, are first
/// compared at rung i. Source: Li et al., JMLR 18-185: ceil((s_max + 1) eta^s / (s + 1)) trials, with s_max = `rungs` -
/// 1 and s = s_max - i.
std::vector<std::int64_t> bracket_sizes(std::int64_t rungs, std::int64_t factor);

}  // namespace sheaf
