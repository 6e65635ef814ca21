// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <functional>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_labels.hpp"
#include "data/import/csv_records.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;

// The maximum length of a class name, in bytes.
constexpr std::size_t longest_label = 4096;

// Collects floats that are added one by one. Never copies them to grow, so that take() needs twice their memory at
// most.
class FloatBlocks {
 public:
  void add(float value) {
    if (blocks_.empty() || blocks_.back().size() == block_floats) blocks_.emplace_back().reserve(block_floats);
    blocks_.back().push_back(value);
  }

  /// Returns all floats as one array, and clears this object.
  std::vector<std::byte> take() {
    std::vector<std::byte> bytes;
    if (!blocks_.empty()) bytes.reserve(((blocks_.size() - 1) * block_floats + blocks_.back().size()) * sizeof(float));
    for (; !blocks_.empty(); blocks_.pop_front()) {
      const auto* begin = reinterpret_cast<const std::byte*>(blocks_.front().data());
      bytes.insert(bytes.end(), begin, begin + blocks_.front().size() * sizeof(float));
    }
    return bytes;
  }

 private:
  static constexpr std::size_t block_floats = std::size_t{1} << 20;
  std::deque<std::vector<float>> blocks_;
};

// "sep=;", which Excel writes and reads as the first line.
std::optional<char> declared_delimiter(std::string_view record) {
  if (record.size() != 5 || record.substr(0, 4) != "sep=") return std::nullopt;
  return record[4];
}

// Whether a name can be an element of an option, without quotes.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

// "text was encoded by categories (column 0 ('city'): 3 categories, column 2 ('kind'): 2 categories)"
std::string text_columns_note(const std::vector<DataColumn>& columns,
                              const std::function<std::string(std::size_t)>& name_of) {
  constexpr std::size_t max_shown = 5;
  Texts shown;
  std::size_t count = 0;
  for (std::size_t index = 0; index < columns.size(); ++index) {
    if (!columns[index].is_text()) continue;
    if (++count <= max_shown)
      shown.push_back(fmt::format("{}: {} categories", name_of(index), columns[index].feature_count()));
  }
  if (count > max_shown) shown.push_back(fmt::format("{} more", count - max_shown));
  return shown.empty() ? "" : fmt::format("text was encoded by categories ({})", fmt::join(shown, ", "));
}

// Collects the rows of all files, in order. All files must have the same columns and column names.
class Table {
 public:
  explicit Table(const CsvOptions& options) : options_(options) {}
  void append(ByteSource& source);
  ImportedData finish();

 private:
  void split(std::string_view record, std::int64_t line);
  Texts field_copies() const;
  void choose_columns(const Texts& first, bool header);
  void require_same_columns(const std::string& previous, const Texts& first, bool header) const;
  void add_row(std::string_view record, std::int64_t line);
  bool has_empty_cell() const;
  void add_label(std::string_view label, std::int64_t line);
  float target(std::size_t column, std::int64_t line);
  [[noreturn]] void refuse(std::size_t column, std::int64_t line, const BadCell& bad) const;
  std::string column_text(std::size_t column) const;
  std::string drop_row_advice() const;

  const CsvOptions& options_;
  std::string file_;  // name of the current file
  char delimiter_ = ',';
  CellNumbers numbers_{'.', ','};  // of the current file
  CsvFields fields_;               // fields of the current record
  std::size_t column_count_ = 0;
  Texts names_;  // empty without a header
  ColumnRoles roles_;
  std::vector<FeatureColumn> features_;
  std::int64_t rows_ = 0;
  std::int64_t dropped_rows_ = 0;
  FloatBlocks cells_;           // of features
  FloatBlocks target_numbers_;  // if is_regression_
  LabelColumn labels_;          // otherwise; finish() chooses the task
  bool is_regression_ = false;  // known before the values are read
  ImportedData data_;
};

void Table::split(std::string_view record, std::int64_t line) {
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

Texts Table::field_copies() const {
  Texts copies;
  for (std::size_t column = 0; column < fields_.size(); ++column) copies.push_back(as_utf8(fields_[column]));
  return copies;
}

void Table::append(ByteSource& source) {
  const std::string previous = std::exchange(file_, source.name());
  CsvRecords records(source);
  bool more = records.next();
  const auto declared = more ? declared_delimiter(records.text()) : std::nullopt;
  if (declared) more = records.next();
  require(more, fmt::format("'{}' is empty (it has no rows). Use a file with at least one row.", file_));
  const std::string first(records.text());
  const std::int64_t first_line = records.line();
  delimiter_ = options_.delimiter ? options_.delimiter : declared.value_or(detect_delimiter(first));
  numbers_ = CellNumbers(options_.decimal, delimiter_);
  split(first, first_line);
  const Texts first_fields = field_copies();
  more = records.next();
  if (more) split(records.text(), records.line());
  const bool header = options_.header.value_or(has_header(first_fields, more ? field_copies() : Texts()));
  if (previous.empty())
    choose_columns(first_fields, header);
  else
    require_same_columns(previous, first_fields, header);

  const std::int64_t rows_before = rows_ + dropped_rows_;
  if (!header) add_row(first, first_line);
  for (; more; more = records.next()) add_row(records.text(), records.line());
  require(rows_ + dropped_rows_ > rows_before,
          fmt::format("'{}' is empty (it has only a header). Use a file with at least one row.", file_));
  if (numbers_.found_comma())
    data_.notes.push_back(
        fmt::format("commas in numbers of '{}' were read as decimal commas (pass --decimal=. if they are not)", file_));
}

void Table::choose_columns(const Texts& first, bool header) {
  column_count_ = first.size();
  if (header) names_ = first;
  roles_ = choose_roles(options_, names_, column_count_, file_);
  if (roles_.id) data_.ids = IdColumn{names_.empty() ? options_.id : names_[*roles_.id], {}};
  if (roles_.row_names)
    data_.notes.push_back(
        fmt::format("the unnamed first column of '{}' was left out (it has the names of the rows)", file_));
  const auto* known = options_.like == nullptr ? nullptr : &options_.like->columns;
  for (std::size_t index = 0; index < roles_.features.size(); ++index) {
    const std::size_t column = roles_.features[index];
    const std::string name = names_.empty() ? "" : names_[column];
    const std::string option_name = is_plain(name) ? name : std::to_string(column);
    const bool is_text =
        std::find(roles_.categorical.begin(), roles_.categorical.end(), column) != roles_.categorical.end();
    if (known != nullptr && !known->empty())
      features_.emplace_back((*known)[index], option_name, options_.missing, options_.ignore_unknown);
    else if (options_.numbers_only)
      features_.emplace_back(number_column(name), option_name, options_.missing, false);
    else
      features_.emplace_back(name, option_name, is_text, options_.missing);
  }
  require(roles_.targets.size() < 2 || options_.task != Task::classification, [&] {
    return fmt::format(
        "Classification needs one label column (there are {} in '{}'). Name one with --label, or pass "
        "--task=regression.",
        roles_.targets.size(), file_);
  });
  is_regression_ = roles_.targets.size() > 1 || options_.task == Task::regression;
}

void Table::require_same_columns(const std::string& previous, const Texts& first, bool header) const {
  require(first.size() == column_count_,
          fmt::format("'{}' has {} columns, but '{}' has {} (all files must have the same columns). Import them "
                      "separately.",
                      file_, first.size(), previous, column_count_));
  require(!header || names_.empty() || first == names_,
          fmt::format("'{}' and '{}' have different column names (all files must have the same columns in the same "
                      "order). Reorder the columns, or import the files separately.",
                      previous, file_));
}

// "column 2 ('price')"
std::string Table::column_text(std::size_t column) const {
  return names_.empty() ? fmt::format("column {}", column)
                        : fmt::format("column {} ({})", column, quoted(names_[column]));
}

// --missing is an option of imports that learn the encoding.
std::string Table::drop_row_advice() const {
  return options_.like == nullptr && !options_.numbers_only ? ", or leave out its row with --missing=drop"
                                                            : ", or leave out its row";
}

void Table::refuse(std::size_t column, std::int64_t line, const BadCell& bad) const {
  throw RunError(
      fmt::format("line {} of '{}', {}, {}. Correct it{}.", line, file_, column_text(column), bad.reason, bad.advice));
}

float Table::target(std::size_t column, std::int64_t line) {
  const std::string_view text = fields_[column];
  const auto value = numbers_.parse<float>(text);
  if (value && std::isfinite(*value)) return *value;
  const std::string cell = quoted(std::string(text));
  if (value && !is_missing(text))
    refuse(column, line, {fmt::format("contains {} (values must be finite in 32-bit floating point)", cell), ""});
  refuse(column, line,
         {text.empty() ? "is empty (a number is expected)" : fmt::format("contains {} (a number is expected)", cell),
          is_missing(text) ? drop_row_advice() : std::string()});
}

void Table::add_label(std::string_view label, std::int64_t line) {
  const std::size_t column = roles_.targets.front();
  require(label.size() <= longest_label, [&] {
    return fmt::format(
        "The label in line {} of '{}' has {} bytes (the limit is {}). Choose another column with "
        "--label.",
        line, file_, label.size(), longest_label);
  });
  if (is_missing(label))
    refuse(column, line,
           {label.empty() ? "is empty (a label is expected)"
                          : fmt::format("contains {}, which means an empty cell (a label is expected)",
                                        quoted(std::string(label))),
            drop_row_advice()});
  const auto number = numbers_.parse<double>(label);
  // An infinite label is an error, as for numbers. Any other text is a number or a class name.
  if (number && !std::isfinite(static_cast<float>(*number))) target(column, line);
  labels_.add(label, number);
}

// Whether a feature or a target of the current record is empty.
bool Table::has_empty_cell() const {
  const auto is_empty = [this](std::size_t column) { return is_missing(fields_[column]); };
  return std::any_of(roles_.features.begin(), roles_.features.end(), is_empty) ||
         std::any_of(roles_.targets.begin(), roles_.targets.end(), is_empty);
}

void Table::add_row(std::string_view record, std::int64_t line) {
  split(record, line);
  require(fields_.size() == column_count_, [&] {
    return fmt::format(
        "Line {} of '{}' has {} columns, not {} (all rows must have the same number). Correct it, or pass "
        "--delimiter.",
        line, file_, fields_.size(), column_count_);
  });
  if (options_.missing.kind == MissingCells::Kind::drop && has_empty_cell()) {
    ++dropped_rows_;
    return;
  }
  for (std::size_t index = 0; index < features_.size(); ++index) {
    const std::size_t column = roles_.features[index];
    try {
      cells_.add(features_[index].read(fields_[column], numbers_));
    } catch (const BadCell& bad) {
      refuse(column, line, bad);
    }
  }
  ++rows_;
  if (data_.ids) data_.ids->cells.push_back(as_utf8(fields_[*roles_.id]));
  if (is_regression_)
    for (const std::size_t column : roles_.targets) target_numbers_.add(target(column, line));
  else if (!roles_.targets.empty())
    add_label(fields_[roles_.targets.front()], line);
}

ImportedData Table::finish() {
  require(
      rows_ > 0,
      fmt::format("'{}' has no rows left (--missing=drop leaves out rows with empty cells, and all have some). Pass "
                  "--missing=median, or leave out columns with --drop.",
                  file_));
  if (dropped_rows_ > 0)
    data_.notes.push_back(fmt::format("{} with empty cells {} left out", counted(dropped_rows_, "row"),
                                      dropped_rows_ == 1 ? "was" : "were"));
  const auto name_of = [this](std::size_t index) { return column_text(roles_.features[index]); };
  const auto place_of = [&](std::size_t index) { return fmt::format("{} of '{}'", name_of(index), file_); };
  data_.features = encode_columns(cells_.take(), rows_, features_, place_of, data_.description.columns);
  if (const auto note = text_columns_note(data_.description.columns, name_of);
      options_.like == nullptr && !note.empty())
    data_.notes.push_back(note);
  const auto twice = repeated_feature_name(data_.description.columns);
  require(!twice, [&] {
    return fmt::format(
        "Two features of '{}' would have the name {} (a column of text has a feature COLUMN=CATEGORY for "
        "each category). Rename a column.",
        file_, quoted(*twice));
  });
  if (is_regression_ && !roles_.targets.empty()) {
    data_.targets = {NumberType::float32, {rows_}, target_numbers_.take()};
    if (roles_.targets.size() > 1) data_.targets->shape.push_back(static_cast<std::int64_t>(roles_.targets.size()));
  } else if (!roles_.targets.empty()) {
    const KnownNames known = options_.like == nullptr ? std::nullopt : KnownNames(options_.like->class_names);
    data_.set_targets(
        labels_.finish(options_.task, known, fmt::format("{} of '{}'", column_text(roles_.targets.front()), file_)));
  }
  for (const std::size_t column : roles_.targets)
    if (!names_.empty()) data_.description.target_names.push_back(names_[column]);
  return std::move(data_);
}

}  // namespace

ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& options) {
  Table table(options);
  for (const auto& source : sources) table.append(*source);
  return table.finish();
}

}  // namespace sheaf
