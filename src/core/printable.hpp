// Makes text of unknown origin safe for terminals. Everything that the program prints passes through here: names of
// files may contain any bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sheaf {

/// Returns the length of the UTF-8 character at the start of `text`, or 0 if there is none. Source: The Unicode
/// Standard, table 3-7.
std::size_t character_bytes(std::string_view text);

/// Replaces bytes that are not valid UTF-8, and control characters other than `allowed`, by '?' in the `size` bytes at
/// `text`. Returns the new size, which is not larger. Allocates no memory.
std::size_t make_printable(char* text, std::size_t size, std::string_view allowed = "");

/// Returns `text`, made printable; line ends remain.
std::string printable_lines(std::string text);

}  // namespace sheaf
