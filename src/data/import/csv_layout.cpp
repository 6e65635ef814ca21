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
#include "data/table_columns.hpp"

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

// The data that the file is read like describe its columns.
bool are_known(const CsvOptions& options) {
  return options.like != nullptr && !options.like->columns.empty();
}

std::vector<ColumnKind> kinds_of(const CsvBeginning& first, const CsvOptions& options) {
  std::vector<ColumnKind> kinds;
  for (const ColumnEvidence& column : first.evidence) kinds.push_back(kind_of(column, options.decimal));
  return kinds;
}

// The columns that are left out because of their content, unless options or names of known columns make them features.
std::vector<std::size_t> useless_columns(const std::vector<ColumnKind>& kinds, const CsvLayout& layout,
                                         const CsvOptions& options) {
  const auto count = [&](ColumnKind kind) { return std::count(kinds.begin(), kinds.end(), kind); };
  bool takes_dates = options.like == nullptr && !options.numbers_only;
  bool takes_other_dates = false;
  const bool has_positions = are_known(options) && (layout.names.empty() || !has_names(options.like->columns));
  if (has_positions) {
    const std::int64_t known_dates = date_column_count(options.like->columns);
    takes_dates = known_dates > 0;
    takes_other_dates = count(ColumnKind::date) + count(ColumnKind::other_date) <= known_dates;
  }
  // Without a header, columns with names are found by their positions alone: another one must not be left out.
  const bool takes_identifiers = has_positions && has_names(options.like->columns);
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < kinds.size(); ++column)
    if ((kinds[column] == ColumnKind::identifier && !takes_identifiers) ||
        (kinds[column] == ColumnKind::date && !takes_dates) ||
        (kinds[column] == ColumnKind::other_date && !takes_other_dates))
      columns.push_back(column);
  return columns;
}

std::vector<CsvFeature> features_of(const CsvBeginning& first, const std::vector<ColumnKind>& kinds,
                                    const CsvLayout& layout, const CsvOptions& options) {
  const ColumnRoles& roles = layout.roles;
  std::vector<CsvFeature> features;
  if (are_known(options)) {
    for (const std::size_t position : table_columns(options.like->columns).of_column)
      features.push_back({roles.features[position], {}});
    return features;
  }
  const auto contains = [](const std::vector<std::size_t>& columns, std::size_t column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  for (const std::size_t column : roles.features) {
    const bool is_text = contains(roles.categorical, column) || contains(roles.kept, column);
    if (kinds[column] != ColumnKind::date || is_text) {
      features.push_back({column, {}});
      continue;
    }
    const std::string name = layout.names.empty() ? "" : layout.names[column];
    for (auto& part : date_columns(name, *first.evidence[column].date_format.format()))
      features.push_back({column, std::move(part)});
  }
  return features;
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
  const std::vector<ColumnKind> kinds = kinds_of(first, options);
  layout.roles =
      choose_roles(options, layout.names, layout.column_count, first.name(), useless_columns(kinds, layout, options));
  layout.features = features_of(first, kinds, layout, options);
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
