// Text in HTML and SVG. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace sheaf {

/// Text from files, such as the name of a class, as content or as the quoted value of an attribute: with entities for
/// the characters of markup, and '?' for control characters and bytes that are not UTF-8. So no text can become markup.
std::string escaped_markup(std::string_view text);

/// Same, for text of several lines, which keep their line ends.
std::string escaped_lines(std::string_view text);

/// `text`, or its beginning and "…" if it has more than `length` characters (code points). `length`: at least 1.
std::string shortened(const std::string& text, std::size_t length);

}  // namespace sheaf
