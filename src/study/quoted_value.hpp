// Values in double quotes, in study files and on the command line. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// Returns `text` as a value of a study file: in double quotes if it contains '#', a comma, or control characters,
/// begins or ends with a space, or begins with a quote; otherwise unchanged. Within quotes, \" and \\ are a quote and a
/// backslash, \t, \n and \r a tab and line ends, and \xHH is any byte.
std::string quoted_value(const std::string& text);

/// The inverse: the text that a value means. Values that do not begin with a quote mean themselves. nullopt: the value
/// has no closing quote, text after it, an unknown escape, or a zero byte.
std::optional<std::string> unquoted_value(const std::string& value);

/// Returns the positions of `letter` in `text`, except in quotes. Quotes begin at the beginning of the text or after
/// '=', ',' or ':', with spaces between. nullopt: a quote is not closed.
std::optional<std::vector<std::size_t>> positions_outside_quotes(const std::string& text, char letter);

}  // namespace sheaf
