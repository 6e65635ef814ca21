// SPDX-License-Identifier: MIT
#include "report/html_table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/plot/markup.hpp"

namespace sheaf {

Cell number_cell(double value, const std::string& text) {
  return {text, false, std::isfinite(value) ? fmt::format("{}", value) : "", ""};
}

Cell integer_cell(std::int64_t value) {
  return {fmt::format("{}", value), false, "", ""};
}

Cell text_cell(const std::string& text) {
  return {text, true, "", ""};
}

std::string table_element(const HtmlTable& table) {
  std::string text = table.id.empty() ? "<table>" : fmt::format("<table class=\"sortable\" id=\"{}\">", table.id);
  text += fmt::format("<caption>{}</caption><thead><tr>", escaped_markup(table.caption));
  for (const Cell& cell : table.head)
    text +=
        fmt::format("<th scope=\"col\"{}>{}</th>", cell.is_text ? " class=\"text\"" : "", escaped_markup(cell.text));
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const Cell& cell : row) {
      text += "<td";
      if (cell.is_text) text += cell.text.size() > 40 ? " class=\"text long\"" : " class=\"text\"";
      if (!cell.key.empty() && cell.key != cell.text)
        text += fmt::format(" data-value=\"{}\"", escaped_markup(cell.key));
      text += ">" + (cell.markup.empty() ? escaped_markup(cell.text) : cell.markup) + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string scrolling(const std::string& content, const char* classes) {
  return fmt::format("<div class=\"{}\" tabindex=\"0\">{}</div>\n", classes, content);
}

}  // namespace sheaf
