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

namespace {

std::optional<std::int64_t> integer_in(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

// Whether an integer is the name of a class, never its number.
bool are_named_by_integers(const std::vector<std::string>& class_names) {
  return !class_names.empty() && std::all_of(class_names.begin(), class_names.end(),
                                             [](const std::string& name) { return integer_in(name).has_value(); });
}

}  // namespace

std::optional<std::int64_t> find_class(const std::string& text, const std::vector<std::string>& class_names,
                                       std::int64_t classes) {
  const auto named = std::find(class_names.begin(), class_names.end(), text);
  if (named != class_names.end()) return named - class_names.begin();
  if (are_named_by_integers(class_names)) return std::nullopt;
  const auto number = integer_in(text);
  return number && *number >= 0 && *number < classes ? number : std::nullopt;
}

std::string class_problem(const std::string& assignment, const std::string& text,
                          const std::vector<std::string>& class_names, std::int64_t classes, const std::string& data) {
  std::vector<std::string> names;
  for (const std::string& name : class_names) names.push_back(quoted(name));
  const std::string known = names.empty() ? "" : fmt::format("; its classes are {}", listed(names));
  const std::string numbers = fmt::format("a number from 0 to {}", classes - 1);
  const std::string advice = names.empty()                        ? numbers
                             : are_named_by_integers(class_names) ? "the name of a class"
                                                                  : "the name of a class, or " + numbers;
  return fmt::format("{} does not fit {} (it has no class {}{}). Use {}.{}", assignment, data, quoted(text), known,
                     advice, did_you_mean(text, class_names));
}

}  // namespace sheaf
