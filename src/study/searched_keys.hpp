// Parses searched keys: `search.<key>` with a comma-separated list of candidates, or with a range such
// as `log_uniform(1e-4, 1e-1)`.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/paths.hpp"
#include "study/search_options.hpp"

namespace sheaf {

/// Parses the values of `key` into canonical form. `origin`: of their paths. Appends problems to `problems`, one
/// sentence each.
SearchedKey read_searched_key(const std::string& key, const std::string& text, const PathOrigin& origin,
                              std::vector<std::string>& problems);

/// The canonical form of a value that trials may have; nothing if it is no candidate, or outside the range. Pure.
std::optional<std::string> searched_value(const SearchedKey& searched, const std::string& text);

/// Adds a searched key, or replaces its values if it is already there.
void set_searched_key(SearchOptions& search, SearchedKey searched);

}  // namespace sheaf
