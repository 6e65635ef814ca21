// SPDX-License-Identifier: MIT
#include "study/searched_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/quoted_value.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// Commas in quotes do not split. A text with quotes that are not closed is one part, which no key accepts.
std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  auto ends = positions_outside_quotes(text, ',').value_or(std::vector<std::size_t>());
  ends.push_back(text.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::string part = text.substr(begin, end - begin);
    const std::size_t first = part.find_first_not_of(" \t");
    parts.push_back(first == std::string::npos ? "" : part.substr(first, part.find_last_not_of(" \t") - first + 1));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

SearchedKey read_candidates(const std::string& key, const std::string& text, const PathOrigin& origin,
                            std::vector<std::string>& problems) {
  SearchedKey searched{key, {}};
  Study scratch;
  for (const auto& candidate : split_at_commas(text)) {
    if (candidate.empty()) {
      problems.push_back(
          fmt::format("search.{} = {} has an empty candidate. Write values separated by commas.", key, quoted(text)));
      return searched;
    }
    try {
      apply_setting(scratch, key, with_read_path(key, candidate, origin));
    } catch (const UsageError& error) {
      problems.push_back(std::string("search.") + error.what());
      continue;
    }
    const std::string canonical = setting_text(scratch, key);
    if (std::find(searched.candidates.begin(), searched.candidates.end(), canonical) != searched.candidates.end())
      problems.push_back(
          fmt::format("search.{} has the candidate {} more than once. Remove the duplicates.", key, quoted(canonical)));
    else
      searched.candidates.push_back(canonical);
  }
  return searched;
}

void set_searched_key(SearchOptions& search, SearchedKey searched) {
  for (auto& known : search.keys) {
    if (known.key != searched.key) continue;
    known = std::move(searched);
    return;
  }
  search.keys.push_back(std::move(searched));
}

}  // namespace sheaf
