// Tables in HTML. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// A cell of a table.
struct Cell {
  std::string text;
  bool is_text = false;
  std::string key{};
  std::string markup{};  ///< instead of the text
};

/// A number with the text that shows it.
Cell number_cell(double value, const std::string& text);
Cell integer_cell(std::int64_t value);
/// A text, aligned to the left.
Cell text_cell(const std::string& text);

struct HtmlTable {
  std::string caption;
  std::vector<Cell> head;
  std::vector<std::vector<Cell>> rows;
  std::string id{};  ///< of a table that can be sorted; empty: it cannot
};

/// The table as an element. All texts are escaped.
std::string table_element(const HtmlTable& table);

/// Content that may be wider than the page.
std::string scrolling(const std::string& content, const char* classes = "scroll");

}  // namespace sheaf
