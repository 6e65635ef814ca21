// Small decisions about text that users see.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// The candidate nearest to `word` by edit distance (insert, delete, replace, swap of neighbours), or "" when none is
/// within a third of the word's length. Ties go to the first.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

/// " Did you mean 'x'?" for the nearest candidate, printable, or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// `text` with '?' for control characters and for bytes that are no UTF-8: names from files may hold any bytes, and
/// messages go to terminals.
std::string printable(std::string_view text);

/// "1 row", "2 rows". `noun`: singular, its plural ends in s.
std::string counted(std::int64_t count, std::string_view noun);

/// A duration for people: "0.42 s", "38 s", "12 min 5 s", "3 h 20 min".
std::string human_seconds(double seconds);

/// A size for people, powers of 1024: "512 B", "1.5 MiB".
std::string human_bytes(double bytes);

/// Columns padded to equal width, two spaces between, numbers (as they parse) right-aligned; the first row is the
/// header. Each line ends in "\n", without trailing blanks.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace sheaf
