// The spaces of a search: the lists and ranges of its trials. A search that is extended with other lists or ranges has
// several, each for trials with consecutive numbers. All have the same keys. Space 0 has the first trials; the last one
// has the lists and ranges of the study, the others those of search.earlier. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/search_options.hpp"

namespace sheaf {

struct Study;

/// The number of spaces, at least 1.
inline std::size_t space_count(const SearchOptions& search) {
  return search.earlier.size() + 1;
}

/// The searched keys of a space, with its lists and ranges.
const std::vector<SearchedKey>& keys_of_space(const SearchOptions& search, std::size_t space);

/// The first trial of a space. A space may have no trials.
std::int64_t first_trial_of_space(const SearchOptions& search, std::size_t space);

/// The study as it was extended up to a space.
Study study_of_space(Study study, std::size_t space);

/// The searched keys with the values of all spaces: lists are joined, and ranges have the ends of all.
std::vector<SearchedKey> keys_of_all_spaces(const SearchOptions& search);

/// Sets the earlier repeats of a search that `search` extends, or reduces again, from those of `stored`.
void extend_repeats(const SearchOptions& stored, SearchOptions& search);

/// Whether two searches have the same keys, in the same order. Their values may differ.
bool have_same_keys(const std::vector<SearchedKey>& keys, const std::vector<SearchedKey>& others);

/// search.earlier as text, such as "30: train.learning_rate = uniform(0.1, 1); model.hidden = 16, 32 | 50: ...", and
/// back; nothing if the text is none.
std::string earlier_spaces_text(const std::vector<EarlierSpace>& earlier);
std::optional<std::vector<EarlierSpace>> read_earlier_spaces(const std::string& text);

}  // namespace sheaf
