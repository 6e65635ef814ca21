// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/csv_labels.hpp"
#include "data/import/csv_records.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;

// The maximum length of a class name, in bytes.
constexpr std::size_t longest_label = 4096;

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

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
  float number(std::size_t column, std::int64_t line) const;
  std::string column_text(std::size_t column) const;

  const CsvOptions& options_;
  std::string file_;  // name of the current file
  char delimiter_ = ',';
  CsvFields fields_;  // fields of the current record
  std::size_t column_count_ = 0;
  Texts names_;  // empty without a header
  std::vector<std::size_t> features_;
  std::vector<std::size_t> targets_;
  std::int64_t rows_ = 0;
  FloatBlocks feature_numbers_;
  FloatBlocks target_numbers_;  // if is_regression_
  LabelColumn labels_;          // otherwise; finish() chooses the task
  bool is_regression_ = false;  // known before the values are read
};

void Table::split(std::string_view record, std::int64_t line) {
  require(fields_.split(record, delimiter_), [&] {
    return fmt::format(
        "Text follows a closing quote in line {} of '{}' (a quoted field ends there). Double the quotes inside a "
        "field.",
        line, file_);
  });
  require(fields_.size() <= most_csv_fields, [&] {
    return fmt::format(
        "Line {} of '{}' has more than {} columns (the limit). Check --delimiter, or import the data as a NumPy "
        "array.",
        line, file_, most_csv_fields);
  });
}

Texts Table::field_copies() const {
  Texts copies;
  for (std::size_t column = 0; column < fields_.size(); ++column) copies.emplace_back(fields_[column]);
  return copies;
}

void Table::append(ByteSource& source) {
  CsvRecords records(source);
  require(records.next(),
          fmt::format("'{}' is empty (it has no rows). Import a file with at least one row.", source.name()));
  const std::string previous = std::exchange(file_, source.name());
  const std::string first(records.text());
  const std::int64_t first_line = records.line();
  delimiter_ = options_.delimiter ? options_.delimiter : detect_delimiter(first);
  split(first, first_line);
  const Texts first_fields = field_copies();
  bool more = records.next();
  if (more) split(records.text(), records.line());
  const bool header = options_.header.value_or(has_header(first_fields, more ? field_copies() : Texts()));
  if (previous.empty())
    choose_columns(first_fields, header);
  else
    require_same_columns(previous, first_fields, header);

  const std::int64_t rows_before = rows_;
  if (!header) add_row(first, first_line);
  for (; more; more = records.next()) add_row(records.text(), records.line());
  require(rows_ > rows_before,
          fmt::format("'{}' is empty (it has only a header). Import a file with at least one row.", file_));
}

void Table::choose_columns(const Texts& first, bool header) {
  column_count_ = first.size();
  if (header) names_ = first;
  targets_ = find_columns(options_.label, names_, column_count_, file_);
  const auto dropped = find_columns(options_.drop, names_, column_count_, file_);
  for (std::size_t column = 0; column < column_count_; ++column)
    if (!contains(targets_, column) && !contains(dropped, column)) features_.push_back(column);
  require(!features_.empty(), fmt::format("'{}' has no features (all of its {} columns are labels or dropped). Check "
                                          "--delimiter, --label and --drop.",
                                          file_, column_count_));
  is_regression_ = targets_.size() > 1 || options_.task == Task::regression;
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

float Table::number(std::size_t column, std::int64_t line) const {
  const std::string_view text = fields_[column];
  const auto value = parse_number<float>(text);
  if (value && std::isfinite(*value)) return *value;
  const std::string location = fmt::format("line {} of '{}', {}", line, file_, column_text(column));
  if (value)
    throw RunError(
        fmt::format("{}, contains {} (values must be finite in 32-bit floating point). Remove or replace it.", location,
                    quoted(std::string(text))));
  throw RunError(
      fmt::format("{}, {} (a number is expected). Correct it{}.", location,
                  text.empty() ? "is empty" : "contains " + quoted(std::string(text)),
                  contains(targets_, column) ? "" : fmt::format(", or drop the column with --drop={}", column)));
}

void Table::add_row(std::string_view record, std::int64_t line) {
  split(record, line);
  require(fields_.size() == column_count_, [&] {
    return fmt::format(
        "Line {} of '{}' has {} columns, not {} (all rows must have the same number). Correct it, or pass "
        "--delimiter.",
        line, file_, fields_.size(), column_count_);
  });
  for (const std::size_t column : features_) feature_numbers_.add(number(column, line));
  ++rows_;
  if (is_regression_) {
    for (const std::size_t column : targets_) target_numbers_.add(number(column, line));
    return;
  }
  const std::size_t column = targets_.front();
  const std::string_view label = fields_[column];
  // An empty, NaN or infinite label is an error, as for numbers. Any other text is a number or a class name.
  require(label.size() <= longest_label, [&] {
    return fmt::format(
        "The label in line {} of '{}' has {} bytes (the limit is {}). Choose another column with "
        "--label.",
        line, file_, label.size(), longest_label);
  });
  if (label.empty() || !std::isfinite(parse_number<float>(label).value_or(0))) number(column, line);
  labels_.add(label);
}

ImportedData Table::finish() {
  ImportedData data;
  data.features = {NumberType::float32, {rows_, static_cast<std::int64_t>(features_.size())}, feature_numbers_.take()};
  if (is_regression_) {
    data.targets = {NumberType::float32, {rows_}, target_numbers_.take()};
    if (targets_.size() > 1) data.targets.shape.push_back(static_cast<std::int64_t>(targets_.size()));
  } else {
    auto labels = labels_.finish(options_.task, fmt::format("{} of '{}'", column_text(targets_.front()), file_));
    data.targets = std::move(labels.array);
    data.class_names = std::move(labels.class_names);
  }
  return data;
}

std::optional<std::int64_t> column_number(const std::string& text, std::size_t column_count) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  const auto count = static_cast<std::int64_t>(column_count);
  require(number >= -count && number < count,
          fmt::format("There is no column {} (there are {} columns, counted from 0 or backwards from -1). Check "
                      "--label and --drop.",
                      number, count));
  return number < 0 ? number + count : number;
}

std::size_t find_column(const std::string& text, const Texts& names, std::size_t column_count,
                        const std::string& file) {
  const auto named = std::find(names.begin(), names.end(), text);
  if (named != names.end()) return static_cast<std::size_t>(named - names.begin());
  if (const auto number = column_number(text, column_count)) return static_cast<std::size_t>(*number);
  throw RunError(fmt::format("'{}' has no column {} ({}).{} Columns can also be given by number, from 0.", file,
                             quoted(text),
                             names.empty() ? "no header was found; if there is one, pass --header=true"
                                           : fmt::format("its header has {} names", names.size()),
                             did_you_mean(text, names)));
}

}  // namespace

std::vector<std::size_t> find_columns(const std::string& list, const std::vector<std::string>& names,
                                      std::size_t column_count, const std::string& file) {
  std::vector<std::size_t> columns;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::size_t column = find_column(list.substr(begin, end - begin), names, column_count, file);
    if (!contains(columns, column)) columns.push_back(column);
    begin = end + 1;
  }
  return columns;
}

bool has_header(const std::vector<std::string>& first, const std::vector<std::string>& second) {
  const auto is_number = [](const std::string& text) { return parse_number<double>(text).has_value(); };
  if (std::none_of(first.begin(), first.end(), is_number)) return true;
  for (std::size_t column = 0; column < std::min(first.size(), second.size()); ++column)
    if (!is_number(first[column]) && is_number(second[column])) return true;
  return false;
}

ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& options) {
  Table table(options);
  for (const auto& source : sources) table.append(*source);
  return table.finish();
}

}  // namespace sheaf
