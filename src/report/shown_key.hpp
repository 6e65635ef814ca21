// A searched key as pictures and importances show it: one list or range for all spaces of the search. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/search_options.hpp"

namespace sheaf {

/// `all`: of keys_of_all_spaces(); `values`: of the key in all trials, nothing where it has no effect. A range reaches
/// from the least to the largest number of all, on a linear scale if one is not positive. A key with a range and, in
/// another space, words such as "full" has a list of all values. Numbers of a list come first, in ascending order.
SearchedKey shown_key(SearchedKey all, const std::vector<std::optional<std::string>>& values);

}  // namespace sheaf
