// SPDX-License-Identifier: MIT
#include "core/fitted_table.hpp"

#include <algorithm>
#include <numeric>

#include "core/display_width.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr std::size_t gap = 2;             // between columns, as in format_table()
constexpr std::size_t min_cut_width = 10;  // enough to tell most values apart

std::size_t width_of(const FittedColumn& column) {
  std::size_t width = display_width(column.name);
  for (const auto& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

std::size_t min_width_of(const FittedColumn& column) {
  return column.may_be_cut ? std::min(min_cut_width, width_of(column)) : width_of(column);
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
}

template <class Width>
std::vector<std::size_t> widths_of(const std::vector<FittedColumn>& columns, Width width) {
  std::vector<std::size_t> widths;
  for (const auto& column : columns) widths.push_back(width(column));
  return widths;
}

// The number of bytes of the first `count` characters.
std::size_t bytes_of(const std::string& text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t found = 0; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++found > count) break;
  return end;
}

std::vector<FittedColumn>::iterator least_important(std::vector<FittedColumn>& columns) {
  auto found = columns.begin();
  for (auto column = columns.begin(); column != columns.end(); ++column)
    if (column->importance <= found->importance) found = column;
  return found;
}

}  // namespace

std::string cut_in_the_middle(const std::string& text, std::size_t width) {
  const std::size_t present = display_width(text);
  if (present <= width) return text;
  const std::size_t shown = width - 3, begin = shown / 2;  // paths differ at their ends
  return text.substr(0, bytes_of(text, begin)) + "..." + text.substr(bytes_of(text, present - (shown - begin)));
}

FittedTable fitted_table(std::vector<FittedColumn> columns, std::size_t width) {
  if (total(widths_of(columns, width_of)) > width)
    for (auto& column : columns) column.name = column.short_name;
  FittedTable table;
  for (; columns.size() > 1 && total(widths_of(columns, min_width_of)) > width; ++table.omitted)
    columns.erase(least_important(columns));
  std::vector<std::size_t> widths = widths_of(columns, width_of);
  const std::vector<std::size_t> least = widths_of(columns, min_width_of);
  while (total(widths) > width && widths != least) {
    std::size_t widest = 0;
    for (std::size_t column = 0; column < widths.size(); ++column)
      if (widths[column] > least[column] && (widths[widest] == least[widest] || widths[column] > widths[widest]))
        widest = column;
    --widths[widest];
  }
  std::vector<std::vector<std::string>> rows(columns.front().cells.size() + 1);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    rows[0].push_back(cut_in_the_middle(columns[column].name, widths[column]));
    for (std::size_t row = 1; row < rows.size(); ++row)
      rows[row].push_back(cut_in_the_middle(columns[column].cells[row - 1], widths[column]));
  }
  table.text = format_table(rows);
  return table;
}

}  // namespace sheaf
