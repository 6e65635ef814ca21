// SPDX-License-Identifier: MIT
#include "study/searched_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text.hpp"
#include "study/quoted_value.hpp"

namespace sheaf {
namespace {

// Names of ranges, as in "log_uniform(1e-4, 1e-1)".
constexpr std::pair<const char*, Sampling> range_names[] = {{"uniform", Sampling::uniform},
                                                            {"log_uniform", Sampling::log_uniform},
                                                            {"integer", Sampling::integer},
                                                            {"log_integer", Sampling::log_integer}};

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

const char* name_of(Sampling sampling) {
  return std::find_if(std::begin(range_names), std::end(range_names),
                      [&](const auto& entry) { return entry.second == sampling; })
      ->first;
}

}  // namespace

std::string searched_text(const SearchedKey& searched) {
  const std::string values = fmt::format("{}", fmt::join(searched.candidates, ", "));
  return searched.sampling == Sampling::list ? values : fmt::format("{}({})", name_of(searched.sampling), values);
}

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

std::optional<RangeText> split_range(const std::string& text) {
  const std::size_t open = text.find('('), close = text.find(')');
  if (open == text.npos || open == 0 || close != text.size() - 1) return std::nullopt;
  const std::string name = text.substr(0, text.find_last_not_of(" \t", open - 1) + 1);
  if (!std::all_of(name.begin(), name.end(), is_letter)) return std::nullopt;
  return RangeText{name, split_at_commas(text.substr(open + 1, close - open - 1))};
}

std::optional<Sampling> sampling_named(const std::string& name) {
  const std::string lower = lower_case(name);
  for (const auto& [known, sampling] : range_names)
    if (lower == known) return sampling;
  return std::nullopt;
}

bool begins_range(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == text.npos || open == 0) return false;
  return sampling_named(text.substr(0, text.find_last_not_of(" \t", open - 1) + 1)).has_value();
}

}  // namespace sheaf
