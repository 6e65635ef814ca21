// The combinations of a search's candidates. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// `study` with one candidate of each searched key, and these candidates, in the order of the keys.
using VisitCombination = std::function<void(const Study& study, const std::vector<std::string>& values)>;

/// Visits the first `most` combinations of the grid in their order, the last key fastest. Every searched key has a
/// candidate; without searched keys there is one combination, the study itself.
void for_each_combination(const Study& study, std::int64_t most, const VisitCombination& visit);

}  // namespace sheaf
