// SPDX-License-Identifier: MIT
#include "data/import/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/csv_first_line.hpp"

namespace sheaf {
namespace {

// Whether a name can be an element of an option, without quotes.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

}  // namespace

std::string CsvLayout::text_of(std::size_t column) const {
  return names.empty() ? fmt::format("column {}", column)
                       : fmt::format("column {} ({})", column, quoted(names[column]));
}

std::string CsvLayout::option_of(std::size_t column) const {
  return !names.empty() && is_plain(names[column]) ? names[column] : std::to_string(column);
}

std::vector<std::string> CsvLayout::dropped_names() const {
  std::vector<std::string> dropped;
  const auto add = [&](std::size_t column) {
    if (!names.empty() && !names[column].empty()) dropped.push_back(names[column]);
  };
  for (const auto* columns : {&roles.row_names, &roles.left_out, &roles.dropped})
    for (const std::size_t column : *columns) add(column);
  for (const auto& column : {roles.groups, roles.folds, roles.time, roles.weights})
    if (column) add(*column);
  std::sort(dropped.begin(), dropped.end());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  return dropped;
}

namespace {

void require_columns(const CsvBeginning& first, const CsvOptions& options) {
  const auto& line = first.sample.records[first.start.first];
  require(first.start.columns > 1 || options.like != nullptr || options.label == "none", [&] {
    return fmt::format(
        "'{}' has no features (no delimiter was found, so its only column is the label; line {} is {}). Pass "
        "--delimiter. Convert columns of fixed width in Python: pandas.read_fwf('{}').to_csv('table.csv', "
        "index=False).",
        first.name(), line.line, quoted(as_utf8(line.text)), first.name());
  });
}

}  // namespace

CsvLayout choose_layout(const CsvBeginning& first, const CsvOptions& options) {
  require_columns(first, options);
  CsvLayout layout;
  layout.column_count = first.start.columns;
  layout.names = first.start.names;
  // As pandas names them.
  for (std::size_t column = 0, named = 0; column < layout.names.size(); ++column) {
    std::string& name = layout.names[column];
    named += is_row_number_name(name) ? 0 : 1;
    if (named > 0 && name.empty()) name = fmt::format("Unnamed: {}", column);
  }
  std::vector<std::size_t> left_out;
  for (std::size_t column = 0; column < layout.column_count; ++column) {
    const ColumnKind kind = kind_of(first.evidence[column], options.decimal);
    if (kind == ColumnKind::identifier || kind == ColumnKind::date) left_out.push_back(column);
  }
  layout.roles = choose_roles(options, layout.names, layout.column_count, first.name(), left_out);
  const std::size_t targets = layout.roles.targets.size();
  require(targets != 1 || options.task != Task::multilabel, [&] {
    return fmt::format(
        "Multi-label classification needs several label columns (there is 1 in '{}'). Name them with --label, or pass "
        "{}=classification.",
        first.name(), options.task_option);
  });
  layout.has_numbers = targets > 1 || options.task == Task::regression;
  return layout;
}

void require_same_columns(const CsvLayout& layout, const CsvBeginning& file, const std::string& previous) {
  const CsvStart& start = file.start;
  require(start.columns == layout.column_count,
          fmt::format("'{}' has {} columns, but '{}' has {} (all files must have the same columns). Import them "
                      "separately.",
                      file.name(), start.columns, previous, layout.column_count));
  const auto same = [](const std::string& now, const std::string& before) {
    return now == before || (now.empty() && is_row_number_name(before));
  };
  const bool are_same = !start.header || layout.names.empty() ||
                        std::equal(start.names.begin(), start.names.end(), layout.names.begin(), same);
  require(are_same,
          fmt::format("'{}' and '{}' have different column names (all files must have the same columns in the same "
                      "order). Reorder the columns, or import the files separately.",
                      previous, file.name()));
}

}  // namespace sheaf
