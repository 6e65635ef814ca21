// Parses searched keys: `search.<model or train key>` with a comma-separated list of candidates.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/paths.hpp"
#include "study/search_options.hpp"

namespace sheaf {

/// Parses the candidates of `key` into canonical form. `origin`: of their paths. Appends problems to `problems`, one
/// sentence each.
SearchedKey read_candidates(const std::string& key, const std::string& text, const PathOrigin& origin,
                            std::vector<std::string>& problems);

/// Adds a searched key, or replaces its candidates if it is already there.
void set_searched_key(SearchOptions& search, SearchedKey searched);

}  // namespace sheaf
