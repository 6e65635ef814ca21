// SPDX-License-Identifier: MIT
#include "data/import/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"

namespace sheaf {

CsvTable::CsvTable(const CsvBeginning& first, const CsvLayout& layout, const ChosenDecimal& decimal,
                   const CsvOptions& options)
    : layout_(layout),
      decimal_(decimal),
      options_(options),
      features_(choose_features(first, layout, decimal, options)),
      targets_(first, layout, decimal, options) {
  counts_.found_empty_texts.resize(options.empty.added().size());
}

void CsvTable::add_file(CsvBeginning file) {
  file_ = file.name();
  delimiter_ = file.sample.syntax.delimiter;
  empty_ends_ = file.start.empty_ends;
  choose_forms(file.evidence);
  const std::int64_t rows_before = counts_.rows + counts_.dropped_rows;
  CsvRecords records(*file.text, file.sample.syntax);
  while (records.next())
    if (records.line() >= file.first_line) add_record(records.text(), records.line());
  require(counts_.rows + counts_.dropped_rows > rows_before,
          fmt::format("'{}' is empty (it has no rows). Use a file with at least one row.", file_));
}

void CsvTable::choose_forms(const std::vector<ColumnEvidence>& evidence) {
  forms_ = number_forms(evidence, decimal_.mark);
  const auto note = [&](std::size_t column) {
    auto& noted = counts_.unusual_numbers;
    const auto is_column = [column](const auto& entry) { return entry.first == column; };
    if (std::any_of(noted.begin(), noted.end(), is_column)) return;
    if (auto number = unusual_number(evidence[column], forms_[column])) noted.emplace_back(column, std::move(*number));
  };
  const ColumnRoles& roles = layout_.roles;
  for (std::size_t index = 0; index < features_.size(); ++index) {
    const std::size_t column = layout_.features[index].column;
    features_[index].set_form(forms_[column]);
    if (features_[index].kind() == FeatureColumn::Kind::number) note(column);
  }
  if (targets_.has_text_labels()) return;
  for (const std::size_t column : roles.targets) note(column);
}

void CsvTable::add_record(std::string_view record, std::int64_t line) {
  line_ = line;
  split(record, line);
  if (!is_row(record, line)) {
    ++counts_.comments;
    return;
  }
  // Spreadsheets write such lines below a table. In new data they may be rows.
  if (options_.like == nullptr && !options_.numbers_only && is_blank()) {
    ++counts_.blank_rows;
    return;
  }
  if (options_.empty.has_numbers()) find_empty_texts();
  if (options_.missing.kind == MissingCells::Kind::drop && has_empty_cell()) {
    ++counts_.dropped_rows;
    return;
  }
  add_cells();
  ++counts_.rows;
}

void CsvTable::split(std::string_view record, std::int64_t line) {
  require(fields_.split(record, delimiter_), [&] {
    return fmt::format(
        "Text follows a closing quote in line {} of '{}' (a quoted field ends there). Double the quotes inside a "
        "field.",
        line, file_);
  });
  require(fields_.size() <= max_csv_fields, [&] {
    return fmt::format(
        "Line {} of '{}' has more than {} columns (the limit). Check --delimiter, or import the data as a NumPy "
        "array.",
        line, file_, max_csv_fields);
  });
}

// False for comments. Throws RunError for other records with too few or too many cells.
bool CsvTable::is_row(std::string_view record, std::int64_t line) {
  const std::size_t columns = layout_.column_count;
  if (fields_.size() == columns) return true;
  bool is_row = fields_.size() > columns && fields_.size() <= columns + empty_ends_;
  for (std::size_t field = columns; is_row && field < fields_.size(); ++field) is_row = fields_[field].empty();
  const bool is_comment = !is_row && record.front() == '#';
  require(is_row || is_comment, [&] {
    return fmt::format("Line {} of '{}' has {} columns, not {} (all rows must have the same number). {}.", line, file_,
                       fields_.size(), columns,
                       counts_.rows + counts_.dropped_rows > 0
                           ? "Correct it, or pass --delimiter"
                           : "Correct it, pass --delimiter, or remove lines above the table that are no rows");
  });
  return is_row;
}

bool CsvTable::is_blank() const {
  for (std::size_t field = 0; field < fields_.size(); ++field)
    if (!fields_[field].empty()) return false;
  return true;
}

// Whether a feature or a target of the current record is empty.
bool CsvTable::has_empty_cell() const {
  const ColumnRoles& roles = layout_.roles;
  for (std::size_t index = 0; index < features_.size(); ++index)
    if (features_[index].is_empty(fields_[layout_.features[index].column])) return true;
  return std::any_of(roles.targets.begin(), roles.targets.end(),
                     [this](std::size_t column) { return targets_.is_empty(fields_[column], forms_[column]); });
}

void CsvTable::find_empty_texts() {
  const auto& texts = options_.empty.added();
  for (std::size_t index = 0; index < texts.size(); ++index) {
    if (counts_.found_empty_texts[index]) continue;
    const auto number = parse_number<double>(texts[index]);
    bool is_found = false;
    for (std::size_t column = 0; column < layout_.column_count && !is_found; ++column)
      is_found = fields_[column] == texts[index] || (number && parse_cell(fields_[column], forms_[column]) == number);
    counts_.found_empty_texts[index] = is_found;
  }
}

// Calls read(text) with a cell of the current record; throws RunError with the place of a bad one.
template <class Read>
void CsvTable::read_cell(std::size_t column, const Read& read) {
  try {
    read(fields_[column]);
  } catch (const BadCell& bad) {
    throw RunError(fmt::format("line {} of '{}', {}, {}. Correct it{}.", line_, file_, layout_.text_of(column),
                               bad.reason, bad.advice));
  }
}

void CsvTable::add_cells() {
  const ColumnRoles& roles = layout_.roles;
  for (std::size_t index = 0; index < features_.size(); ++index)
    read_cell(layout_.features[index].column, [&](std::string_view text) { cells_.add(features_[index].read(text)); });
  if (roles.id) ids_.push_back(as_utf8(fields_[*roles.id]));
  for (const std::size_t column : roles.targets)
    read_cell(column, [&](std::string_view text) { targets_.add(text, forms_[column]); });
  if (!roles.groups && !roles.folds && !roles.time && !roles.weights) return;
  for (const auto& [data, column] :
       {std::pair(&groups_, roles.groups), {&folds_, roles.folds}, {&times_, roles.time}, {&weights_, roles.weights}})
    if (column)
      read_cell(*column, [&, to = data, form = &forms_[*column]](std::string_view text) {
        to->add(text, options_.empty, *form);
      });
}

void CsvTable::finish(const std::string& file, ImportedData& data) {
  require(counts_.rows > 0,
          fmt::format("'{}' has no rows left (--missing=drop leaves out rows with empty cells, and all have some). "
                      "Pass --missing=median, or leave out columns with --drop.",
                      file));
  const ColumnRoles& roles = layout_.roles;
  const auto place_of = [&](std::size_t index) {
    return fmt::format("{} of '{}'", layout_.text_of(layout_.features[index].column), file);
  };
  data.features = encode_columns(std::move(cells_), counts_.rows, features_, place_of, data.description.columns);
  const auto twice = repeated_name(data.description.columns);
  require(!twice, [&] {
    return fmt::format(
        "Two features of '{}' would have the name {} (a column of dates becomes COLUMN.year and others). Rename a "
        "column.",
        file, quoted(*twice));
  });
  targets_.finish(counts_.rows, file, data);
  if (roles.id) data.ids = IdColumn{layout_.names.empty() ? options_.id : layout_.names[*roles.id], std::move(ids_)};
  if (roles.groups) data.groups = groups_.array();
  if (roles.folds) {
    folds_.require_no_gaps(fmt::format("{} of '{}'", layout_.text_of(*roles.folds), file));
    data.folds = folds_.array();
  }
  if (roles.time) data.times = times_.array();
  if (roles.weights) data.weights = weights_.array();
}

}  // namespace sheaf
