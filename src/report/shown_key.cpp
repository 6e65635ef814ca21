// SPDX-License-Identifier: MIT
#include "report/shown_key.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "study/range_value.hpp"

namespace sheaf {
namespace {

bool is_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_lower(const std::string& one, const std::string& other) {
  return range_number(one) < range_number(other);
}

Sampling linear(Sampling sampling) {
  return sampling == Sampling::log_uniform   ? Sampling::uniform
         : sampling == Sampling::log_integer ? Sampling::integer
                                             : sampling;
}

}  // namespace

SearchedKey shown_key(SearchedKey all, const std::vector<std::optional<std::string>>& values) {
  std::vector<std::string>& known = all.candidates;
  const bool are_numbers = std::all_of(known.begin(), known.end(), is_number);
  if (all.sampling == Sampling::list || !are_numbers) {
    all.sampling = Sampling::list;
    for (const auto& value : values)
      if (value && std::find(known.begin(), known.end(), *value) == known.end()) known.push_back(*value);
    const auto words = std::stable_partition(known.begin(), known.end(), is_number);
    std::stable_sort(known.begin(), words, is_lower);
    return all;
  }
  for (const auto& value : values)
    if (value) known.push_back(*value);
  const auto [least, largest] = std::minmax_element(known.begin(), known.end(), is_lower);
  known = {std::string(*least), std::string(*largest)};
  if (!(range_number(known.front()) > 0)) all.sampling = linear(all.sampling);
  return all;
}

}  // namespace sheaf
