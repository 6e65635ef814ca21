// Formatting of text for users.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// Returns the candidate with the smallest edit distance to `word` (insert, delete, replace, swap of adjacent
/// characters), or "" if none is within a third of the word's length, or the word has more than 100 bytes. Ties go to
/// the first.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

/// Returns " Did you mean 'x'?" with the nearest candidate, made printable, or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// Returns `text` with lower-case ASCII letters.
std::string lower_case(std::string text);

/// Returns `text` with '?' for control characters and for bytes that are not valid UTF-8. Names in files may contain
/// any bytes, and messages go to terminals.
std::string printable(std::string_view text);

/// Returns `text` if it is valid UTF-8; otherwise decodes it as Latin-1. Zero bytes become '?'. For text from files
/// that is stored again.
std::string as_utf8(std::string_view text);

/// Returns a cell of a CSV file: `text`, quoted if it contains a comma, a quote or a line end (RFC 4180).
std::string csv_field(const std::string& text);

/// Returns for example "1 row" or "2 rows". `noun` is singular; its plural must end in s.
std::string counted(std::int64_t count, std::string_view noun);

/// Returns for example "a, b and c" or, if there are more than `max_shown` texts, "a, b and 3 more".
std::string listed(const std::vector<std::string>& texts, std::size_t max_shown = 5);

/// Formats a duration: "0.42 s", "38.0 s", "12 min 5 s", "3 h 20 min".
std::string human_seconds(double seconds);

/// Formats a size in powers of 1024: "512 B", "1.5 MiB".
std::string human_bytes(double bytes);

/// Formats a table whose first row is the header. Columns are separated by two spaces; columns of numbers are
/// right-aligned. Each line ends in "\n", without trailing spaces.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace sheaf
