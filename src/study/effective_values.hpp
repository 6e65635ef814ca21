// The values of a trial that have an effect in it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/plan.hpp"

namespace sheaf {

/// The values of the searched keys in a trial, in their order; nothing for keys without effect there, such as the depth
/// of trees of a network. Pure.
std::vector<std::optional<std::string>> effective_values(const Plan& plan, std::int64_t trial);

}  // namespace sheaf
