// Rungs and brackets of Hyperband and of successive halving. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace sheaf {

/// The epochs after which trials can be compared, ascending: `epochs`, and the next one divided by `factor`, rounded
/// down, as long as that is at least `min_epochs`.
std::vector<std::int64_t> rung_epochs(std::int64_t epochs, std::int64_t factor, std::int64_t min_epochs);

/// The trials of each bracket in one pass of Hyperband. Bracket i begins with the training up to rung i, for i from 0
/// to `rungs` - 1, which is s_max - s in the source: Li et al., JMLR 18-185, with n = ceil((s_max + 1) eta^s / (s +
/// 1)).
std::vector<std::int64_t> bracket_sizes(std::int64_t rungs, std::int64_t factor);

}  // namespace sheaf
