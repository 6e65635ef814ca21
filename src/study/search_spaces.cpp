// SPDX-License-Identifier: MIT
#include "study/search_spaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "study/quoted_value.hpp"
#include "study/searched_keys.hpp"
#include "study/searched_text.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"
#include "study/value_parsing.hpp"

namespace sheaf {
namespace {

// Splits at a letter outside quotes; nothing if quotes are not closed.
std::optional<std::vector<std::string>> split_at(const std::string& text, char letter) {
  auto ends = positions_outside_quotes(text, letter);
  if (!ends) return std::nullopt;
  ends->push_back(text.size());
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (const std::size_t end : *ends) {
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::optional<SearchedKey> read_key(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return std::nullopt;
  const std::string key = trimmed(text.substr(0, equals));
  if (!is_searchable(key)) return std::nullopt;
  std::vector<std::string> problems;
  SearchedKey searched = read_searched_key(key, trimmed(text.substr(equals + 1)), PathOrigin{}, problems);
  return problems.empty() ? std::optional(std::move(searched)) : std::nullopt;
}

std::optional<EarlierSpace> read_space(const std::string& text) {
  EarlierSpace space;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + colon, space.trials);
  if (error != std::errc{} || end != text.data() + colon || colon == text.size()) return std::nullopt;
  const auto parts = split_at(text.substr(colon + 1), ';');
  if (!parts) return std::nullopt;
  for (const std::string& part : *parts) {
    auto searched = read_key(part);
    if (!searched) return std::nullopt;
    space.keys.push_back(*std::move(searched));
  }
  return space;
}

}  // namespace

const std::vector<SearchedKey>& keys_of_space(const SearchOptions& search, std::size_t space) {
  return space < search.earlier.size() ? search.earlier[space].keys : search.keys;
}

std::int64_t first_trial_of_space(const SearchOptions& search, std::size_t space) {
  return space == 0 ? 0 : search.earlier[space - 1].trials;
}

Study study_of_space(Study study, std::size_t space) {
  SearchOptions& search = study.search;
  if (space >= search.earlier.size()) return study;
  search.keys = search.earlier[space].keys;
  search.earlier.resize(space);
  return study;
}

std::vector<SearchedKey> keys_of_all_spaces(const SearchOptions& search) {
  std::vector<SearchedKey> keys = search.keys;
  for (const EarlierSpace& space : search.earlier)
    for (const SearchedKey& own : space.keys)
      for (SearchedKey& all : keys) {
        if (all.key != own.key) continue;
        if (all.sampling == Sampling::list) all.sampling = own.sampling;
        for (const std::string& value : own.candidates)
          if (std::find(all.candidates.begin(), all.candidates.end(), value) == all.candidates.end())
            all.candidates.push_back(value);
      }
  return keys;
}

void extend_repeats(const SearchOptions& stored, SearchOptions& search) {
  std::vector<std::int64_t>& earlier = search.earlier_repeats;
  earlier = stored.earlier_repeats;
  if (search.repeats > stored.repeats && !stored.keys.empty() && stored.may_add_repeats() && search.may_add_repeats())
    earlier.push_back(stored.repeats);
  while (!earlier.empty() && earlier.back() >= search.repeats) earlier.pop_back();
}

bool have_same_keys(const std::vector<SearchedKey>& keys, const std::vector<SearchedKey>& others) {
  return std::equal(keys.begin(), keys.end(), others.begin(), others.end(),
                    [](const SearchedKey& a, const SearchedKey& b) { return a.key == b.key; });
}

std::string earlier_spaces_text(const std::vector<EarlierSpace>& earlier) {
  std::string text;
  for (const EarlierSpace& space : earlier) {
    text += fmt::format("{}{}: ", text.empty() ? "" : " | ", space.trials);
    for (const SearchedKey& searched : space.keys)
      text += fmt::format("{}{} = {}", &searched == &space.keys.front() ? "" : "; ", searched.key,
                          written_searched_text(searched));
  }
  return text.empty() ? "none" : text;
}

std::optional<std::vector<EarlierSpace>> read_earlier_spaces(const std::string& text) {
  std::vector<EarlierSpace> earlier;
  if (is_keyword(text, "none")) return earlier;
  const auto parts = split_at(text, '|');
  if (!parts) return std::nullopt;
  for (const std::string& part : *parts) {
    auto space = read_space(part);
    if (!space) return std::nullopt;
    earlier.push_back(*std::move(space));
  }
  return earlier;
}

}  // namespace sheaf
