// Searched keys: `search.<model or train key>` with a list of candidates, commas between them.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// The candidates of `key` in the canonical form. What is wrong with them is added to `problems`, a sentence each.
SearchedKey read_candidates(const std::string& key, const std::string& text, std::vector<std::string>& problems);

/// Adds a searched key, or replaces the candidates of the one that is there.
void set_searched_key(SearchOptions& search, SearchedKey searched);

}  // namespace sheaf
