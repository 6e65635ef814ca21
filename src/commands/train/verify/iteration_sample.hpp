// The choice of the iterations that are trained again. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace sheaf {

/// `count` of the numbers 0..total-1, ascending: one drawn from each of `count` equal parts of them, so that the sample
/// is spread over the whole range. All of them if `count` is not below `total`.
std::vector<std::int64_t> spread_sample(std::int64_t total, std::int64_t count, std::uint64_t seed);

}  // namespace sheaf
