// SPDX-License-Identifier: MIT
#include "study/named_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {

bool is_class_text(const std::string& text) {
  const auto is_special = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '#' || c == '"'; };
  return !text.empty() && text.front() != ' ' && text.back() != ' ' &&
         std::none_of(text.begin(), text.end(), is_special);
}

std::optional<std::int64_t> find_class(const std::string& text, const std::vector<std::string>& class_names,
                                       std::int64_t classes) {
  const auto named = std::find(class_names.begin(), class_names.end(), text);
  if (named != class_names.end()) return named - class_names.begin();
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end && number >= 0 && number < classes ? std::optional(number) : std::nullopt;
}

std::string class_problem(const std::string& assignment, const std::string& text,
                          const std::vector<std::string>& class_names, std::int64_t classes, const std::string& data) {
  std::vector<std::string> names;
  for (const std::string& name : class_names) names.push_back(quoted(name));
  const std::string known = names.empty() ? "" : fmt::format("; its classes are {}", listed(names));
  return fmt::format("{} does not fit {} (it has no class {}{}). Use {}a number from 0 to {}.{}", assignment, data,
                     quoted(text), known, names.empty() ? "" : "the name of a class, or ", classes - 1,
                     did_you_mean(text, class_names));
}

}  // namespace sheaf
