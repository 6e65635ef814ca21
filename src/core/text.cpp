// SPDX-License-Identifier: MIT
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/display_width.hpp"
#include "core/printable.hpp"

namespace sheaf {
namespace {

// Optimal string alignment distance: the Levenshtein distance with swaps of adjacent characters.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

bool is_number(const std::string& text) {
  if (text.empty()) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return *end == '\0';
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  std::string nearest;
  constexpr std::size_t longest = 100;  // nobody types longer names, and the distance takes time and memory
  if (word.size() > longest) return nearest;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (longer - shorter >= least) continue;  // the difference in length is a lower bound of the distance
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : " Did you mean '" + printable(nearest) + "'?";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char character : text) {
    if (character == '"') cell += '"';
    cell += character;
  }
  return cell + '"';
}

std::string as_utf8(std::string_view text) {
  bool is_valid = true;
  for (std::string_view rest = text; is_valid && !rest.empty();) {
    const std::size_t bytes = character_bytes(rest);
    is_valid = bytes > 0;
    rest.remove_prefix(bytes);
  }
  if (is_valid && text.find('\0') == text.npos) return std::string(text);
  std::string decoded;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (code == 0) {
      decoded += '?';
    } else if (is_valid || code < 0x80) {
      decoded += character;
    } else {
      decoded += static_cast<char>(0xc0 | code >> 6);
      decoded += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return decoded;
}

std::string lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

std::string printable(std::string_view text) {
  std::string shown(text);
  shown.resize(make_printable(shown.data(), shown.size()));
  return shown;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& texts, std::size_t max_shown) {
  const bool are_all_shown = texts.size() <= max_shown;
  const std::size_t shown = (are_all_shown ? texts.size() : max_shown) - 1;  // before "and"
  if (texts.empty()) return "";
  std::string list;
  for (std::size_t index = 0; index < shown; ++index) list += (index > 0 ? ", " : "") + texts[index];
  const std::string last = are_all_shown ? texts.back() : fmt::format("{} more", texts.size() - shown);
  return list.empty() ? last : list + " and " + last;
}

std::string human_seconds(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.3g} s", seconds);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string human_bytes(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.95 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], display_width(row[column]));
  }
  // A column is numeric if each cell below the header is a number or empty, and at least one is a number.
  std::vector<bool> numeric(widths.size());
  for (std::size_t column = 0; column < widths.size(); ++column) {
    bool any = false, all = true;
    for (std::size_t row = 1; row < rows.size(); ++row) {
      if (column >= rows[row].size() || rows[row][column].empty()) continue;
      (is_number(rows[row][column]) ? any : all) = is_number(rows[row][column]);
    }
    numeric[column] = any && all;
  }
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - display_width(row[column]), ' ');
      line += (column ? "  " : "") + (numeric[column] ? padding + row[column] : row[column] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

}  // namespace sheaf
