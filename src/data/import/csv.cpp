// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_kinds.hpp"
#include "data/import/csv_labels.hpp"
#include "data/import/csv_records.hpp"
#include "data/import/csv_row_data.hpp"
#include "data/import/csv_sample.hpp"
#include "data/import/csv_start.hpp"
#include "data/import/csv_text.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;
using Columns = std::vector<std::size_t>;

// The maximum length of a class name, in bytes.
constexpr std::size_t longest_label = 4096;

// The beginning of a file that decides how it is read.
constexpr std::size_t sample_bytes = std::size_t{1} << 20;

// Whether a name can be an element of an option, without quotes.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

// "a, b, c and 3 more"
std::string some_of(const Texts& texts, std::size_t max_shown = 5) {
  const std::size_t shown = texts.size() <= max_shown ? texts.size() : max_shown - 1;
  const std::string list =
      fmt::format("{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown < texts.size() ? fmt::format("{} and {} more", list, texts.size() - shown) : list;
}

// "numbers are filled with the median of the training rows"
std::string fill_text(const MissingCells& missing) {
  switch (missing.kind) {
    case MissingCells::Kind::value:
      return fmt::format("numbers are filled with {}", missing.value);
    case MissingCells::Kind::mean:
      return "numbers are filled with the mean of the training rows";
    default:
      return "numbers are filled with the median of the training rows";
  }
}

template <class T>
void append_bytes(std::vector<std::byte>& bytes, T value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

// Subtracts an offset from each column of the float64 `targets` and rounds them to float32. `known`: the offsets to
// use; null: sampled_offset(). `offsets`: those used, or nothing if all are 0.
NumberArray with_offsets(NumberArray targets, const std::vector<double>* known, std::vector<double>& offsets) {
  const std::int64_t columns = targets.row_elements(), rows = targets.rows();
  CellBlocks cells;
  visit_numbers(targets, [&](const auto* values) {
    for (std::size_t index = 0; index < targets.elements(); ++index) cells.add(static_cast<double>(values[index]));
  });
  targets.bytes = std::vector<std::byte>();
  offsets.assign(static_cast<std::size_t>(columns), 0);
  for (std::int64_t column = 0; column < columns; ++column)
    offsets[static_cast<std::size_t>(column)] = known == nullptr ? sampled_offset(cells, rows, column, columns)
                                                : known->size() != offsets.size()
                                                    ? 0
                                                    : known->at(static_cast<std::size_t>(column));
  NumberArray floats{NumberType::float32, targets.shape, {}};
  floats.bytes.reserve(floats.elements() * sizeof(float));
  std::size_t column = 0;
  cells.consume([&](double value) {
    append_bytes(floats.bytes, static_cast<float>(value - offsets[column]));
    if (++column == offsets.size()) column = 0;
  });
  if (std::all_of(offsets.begin(), offsets.end(), [](double offset) { return offset == 0; })) offsets.clear();
  return floats;
}

// The beginning of a file, and what it says about all of it.
struct Beginning {
  std::unique_ptr<CsvText> text;
  CsvSample sample;  // of files after the first one, without records
  CsvStart start;
  std::int64_t first_line = 0;  // of the rows
  std::vector<ColumnEvidence> evidence;
};

// Collects the rows of all files, in order. All files must have the same columns and column names.
class Table {
 public:
  explicit Table(const CsvOptions& options) : options_(options), found_empty_(options.empty.added().size(), false) {}
  void add_file(ByteSource& source);
  // After all files have been added.
  ImportedData finish();

 private:
  void read_rows(Beginning& file);
  bool may_be_numbers(std::size_t column) const;
  void decide_mark();
  void choose_kinds();
  std::string_view first_unreadable(std::size_t column) const;
  void find_empty_texts();
  StartHints hints() const;
  void split(std::string_view record, std::int64_t line);
  void choose_columns(const CsvStart& start, const std::vector<ColumnEvidence>& evidence);
  void choose_forms(const std::vector<ColumnEvidence>& evidence);
  void add_feature(std::size_t index, ColumnKind kind);
  void note_left_out(const std::vector<ColumnEvidence>& evidence);
  void note_codes(const std::vector<ColumnEvidence>& evidence, std::int64_t rows);
  void choose_labels(const ColumnEvidence& evidence, ColumnKind kind);
  void require_same_columns(const std::string& previous, const CsvStart& start) const;
  void add_row(std::string_view record, std::int64_t line);
  bool has_empty_cell() const;
  bool is_blank_row() const;
  bool is_empty_target(std::size_t column) const;
  bool is_empty_number(std::size_t column) const;
  bool is_known_class(std::string_view label) const;
  void add_label(std::string_view label, std::int64_t line);
  double target(std::size_t column, std::int64_t line);
  void set_targets();
  void add_notes();
  [[noreturn]] void refuse(std::size_t column, std::int64_t line, const BadCell& bad) const;
  std::string column_text(std::size_t column) const;
  std::string option_name(std::size_t column) const;
  std::string drop_row_advice() const;

  const CsvOptions& options_;
  std::string file_;   // name of the current file
  std::string taken_;  // a summary of the table, for the log
  std::vector<Beginning> files_;
  char delimiter_ = ',';
  CsvFields fields_;  // fields of the current record
  std::size_t column_count_ = 0;
  std::size_t empty_ends_ = 0;
  Texts names_;  // empty without a header
  ColumnRoles roles_;
  std::vector<FeatureColumn> features_;
  DecimalMark mark_;
  std::string unclear_number_;     // a number that has two meanings; empty: mark_ does not depend on one
  std::vector<bool> found_empty_;  // whether each text of options_.empty.added() occurs
  std::vector<NumberForm> forms_;  // of all columns in the current file
  std::vector<std::pair<std::size_t, std::string>> forms_note_;  // columns whose numbers are written in an unusual form
  std::int64_t rows_ = 0;
  std::int64_t dropped_rows_ = 0;
  std::int64_t comments_ = 0;
  std::int64_t blank_rows_ = 0;
  CellBlocks cells_;            // of features
  CellBlocks target_numbers_;   // if is_regression_
  LabelColumn labels_;          // otherwise; finish() chooses the task
  bool is_regression_ = false;  // known before the values are read
  bool has_text_labels_ = false;
  RowData groups_{RowData::Role::groups};
  RowData folds_{RowData::Role::folds};
  RowData weights_{RowData::Role::weights};
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

StartHints Table::hints() const {
  StartHints hints;
  hints.header = options_.header;
  hints.label = options_.label;
  if (options_.like != nullptr && has_names(options_.like->columns))
    hints.features = column_names(options_.like->columns);
  else
    hints.is_unnamed = options_.like != nullptr && !options_.like->columns.empty();
  if (!files_.empty()) {  // like the first file
    hints.is_unnamed = names_.empty();
    hints.features.clear();
    std::copy_if(names_.begin(), names_.end(), std::back_inserter(hints.features),
                 [](const std::string& name) { return !is_row_number_name(name); });
  }
  for (const auto* list : {&options_.drop, &options_.id, &options_.groups, &options_.folds, &options_.weights})
    for (const auto& name : split_list(*list)) {
      hints.columns.push_back(name);
      hints.left_out.push_back(name);
    }
  for (const auto* list : {&options_.categorical, &options_.keep})
    for (const auto& name : split_list(*list)) hints.columns.push_back(name);
  if (options_.label && options_.label != "none")
    for (const auto& name : split_list(*options_.label)) hints.columns.push_back(name);
  return hints;
}

void Table::add_file(ByteSource& source) {
  const std::string previous = std::exchange(file_, source.name());
  Beginning file;
  file.text = std::make_unique<CsvText>(source, sample_bytes, longest_csv_record);
  file.sample = take_sample(*file.text, options_.delimiter);
  file.start = find_start(file.sample, hints(), options_.empty, file_);
  if (file.start.first_row() >= file.sample.records.size()) {
    for (CsvRecords all(*file.text, file.sample.syntax); all.next();) {
    }  // reports a quote that is not closed
    throw RunError(fmt::format("'{}' is empty (it has only a header). Use a file with at least one row.", file_));
  }
  file.first_line = file.sample.records[file.start.first_row()].line;
  file.evidence =
      collect_evidence(file.sample, file.start.first_row(), file.start.columns, std::nullopt, options_.empty);
  if (files_.empty()) {
    delimiter_ = file.sample.syntax.delimiter;
    choose_columns(file.start, file.evidence);
  } else {
    require_same_columns(previous, file.start);
    file.sample.records = {};
    for (auto& column : file.evidence) column.different_texts = column.different_numbers = {};
  }
  files_.push_back(std::move(file));
}

void Table::read_rows(Beginning& file) {
  file_ = file.text->name();
  delimiter_ = file.sample.syntax.delimiter;
  empty_ends_ = file.start.empty_ends;
  choose_forms(file.evidence);
  const std::int64_t rows_before = rows_ + dropped_rows_;
  CsvRecords records(*file.text, file.sample.syntax);
  while (records.next())
    if (records.line() >= file.first_line) add_row(records.text(), records.line());
  require(rows_ + dropped_rows_ > rows_before,
          fmt::format("'{}' is empty (it has no rows). Use a file with at least one row.", file_));
  file = Beginning{};
}

void Table::choose_columns(const CsvStart& start, const std::vector<ColumnEvidence>& evidence) {
  column_count_ = start.columns;
  names_ = start.names;
  // As pandas names them.
  for (std::size_t column = 0, named = 0; column < names_.size(); ++column) {
    named += is_row_number_name(names_[column]) ? 0 : 1;
    if (named > 0 && names_[column].empty()) names_[column] = fmt::format("Unnamed: {}", column);
  }
  Columns left_out;
  for (std::size_t column = 0; column < column_count_; ++column) {
    const ColumnKind kind = kind_of(evidence[column], options_.decimal);
    if (kind == ColumnKind::identifier || kind == ColumnKind::date) left_out.push_back(column);
  }
  roles_ = choose_roles(options_, names_, column_count_, file_, left_out);
  if (roles_.id) data_.ids = IdColumn{names_.empty() ? options_.id : names_[*roles_.id], {}};
  require(roles_.targets.size() < 2 || options_.task != Task::classification, [&] {
    return fmt::format(
        "Classification needs one label column (there are {} in '{}'). Name one with --label, or pass "
        "{}=regression.",
        roles_.targets.size(), file_, options_.task_option);
  });
  is_regression_ = roles_.targets.size() > 1 || options_.task == Task::regression;
}

// Whether the numbers of a feature or a target count for the decimal mark.
bool Table::may_be_numbers(std::size_t column) const {
  const auto has = [column](const Columns& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const DataDescription* like = options_.like;
  if (has(roles_.targets))
    return options_.task != Task::classification && (like == nullptr || like->class_names.empty());
  const auto found = std::find(roles_.features.begin(), roles_.features.end(), column);
  if (found == roles_.features.end() || has(roles_.categorical)) return false;
  const auto index = static_cast<std::size_t>(found - roles_.features.begin());
  return like == nullptr || like->columns.empty() || !like->columns[index].is_text();
}

// One decimal mark for all columns of all files: by those that are used or, if they do not show it, by the others.
void Table::decide_mark() {
  using Basis = DecimalMark::Basis;
  struct Place {
    std::size_t file;
    std::size_t column;
  };
  if (options_.decimal) {
    mark_ = {*options_.decimal, Basis::evidence, 0, 0};
    return;
  }
  std::vector<Place> places;
  std::vector<const CommonForm*> used, others;
  for (std::size_t file = 0; file < files_.size(); ++file)
    for (std::size_t column = 0; column < column_count_; ++column) {
      const ColumnEvidence& cells = files_[file].evidence[column];
      if (cells.numbers == 0 || cells.numbers < cells.texts || cells.form.are_in_parentheses()) continue;
      const bool is_used = may_be_numbers(column);
      if (is_used) places.push_back({file, column});
      (is_used ? used : others).push_back(&cells.form);
    }
  mark_ = decide_decimal(used, delimiter_, options_.like != nullptr);
  if (mark_.basis == Basis::evidence || mark_.basis == Basis::none) return;
  const auto evidence_of = [&](std::size_t at) -> const ColumnEvidence& {
    return files_[places[at].file].evidence[places[at].column];
  };
  const auto place_of = [&](std::size_t at) {
    return fmt::format("{} of '{}'", column_text(places[at].column), files_[places[at].file].text->name());
  };
  require(mark_.basis != Basis::contradictory, [&] {
    return fmt::format(
        "{} in {} has a decimal comma, but {} in {} has a decimal point (the numbers of an import have one decimal "
        "mark). Write all numbers with the same mark, or pass --decimal with the right one and drop the other column "
        "or read it as categories.",
        quoted(as_utf8(evidence_of(mark_.column).decisive)), place_of(mark_.column),
        quoted(as_utf8(evidence_of(mark_.other).decisive)), place_of(mark_.other));
  });
  if (const DecimalMark shown = decide_decimal(others, delimiter_, options_.like != nullptr);
      shown.basis == Basis::evidence) {
    mark_ = shown;
    return;
  }
  const ColumnEvidence& unclear = evidence_of(mark_.column);
  const auto number = as_utf8(unclear.pointed.empty() ? unclear.example : unclear.pointed);
  require(mark_.basis != Basis::ambiguous, [&] {
    return fmt::format(
        "{} in {} has two meanings (its mark may be the decimal mark or separate thousands, and no other number "
        "of the file shows which). Pass --decimal=. or --decimal=,.",
        quoted(number), place_of(mark_.column));
  });
  if (mark_.basis == Basis::delimiter && delimiter_ != ',' && mark_.mark == '.' && !unclear.pointed.empty())
    unclear_number_ = number;
}

// The first cell in the sample of the first file that is not a number like most of its column.
std::string_view Table::first_unreadable(std::size_t column) const {
  const Beginning& file = files_.front();
  const ColumnEvidence& evidence = file.evidence[column];
  const bool is_known = mark_.basis != DecimalMark::Basis::none;
  const NumberForm form = evidence.form.likely_form(is_known ? std::optional(mark_.mark) : std::nullopt);
  for (std::size_t index = file.start.first_row(); index < file.sample.records.size(); ++index) {
    const auto& cells = file.sample.records[index].cells;
    if (column < cells.size() && !options_.empty.is_empty_number(cells[column]) && !parse_cell(cells[column], form))
      return cells[column];
  }
  return evidence.example;
}

// By the first file.
void Table::choose_kinds() {
  const auto& [text, sample, start, first_line, evidence] = files_.front();
  std::vector<ColumnKind> kinds;
  for (const ColumnEvidence& column : evidence) kinds.push_back(kind_of(column, mark_.mark));
  for (std::size_t index = 0; index < roles_.features.size(); ++index)
    add_feature(index, kinds[roles_.features[index]]);
  if (roles_.targets.size() == 1) choose_labels(evidence[roles_.targets.front()], kinds[roles_.targets.front()]);

  Texts parts;
  const std::int64_t header_line = sample.records[start.first].line;
  parts.push_back(start.header ? fmt::format("header in line {}", header_line) : "no header");
  if (start.first > 0) parts.push_back(fmt::format("{} above it skipped", counted(header_line - 1, "line")));
  if (start.units) parts.push_back(fmt::format("units in line {}", sample.records[start.first + 1].line));
  Texts targets;
  for (const std::size_t column : roles_.targets) targets.push_back(column_text(column));
  parts.push_back(targets.empty()  ? "no label"
                  : is_regression_ ? "target " + some_of(targets)
                                   : "label " + targets.front());
  taken_ =
      fmt::format("of {}: {}", counted(static_cast<std::int64_t>(column_count_), "column"), fmt::join(parts, ", "));
  note_left_out(evidence);
  note_codes(evidence, static_cast<std::int64_t>(sample.records.size() - start.first_row()));
}

void Table::add_feature(std::size_t index, ColumnKind kind) {
  using Kind = FeatureColumn::Kind;
  using Refused = FeatureColumn::Refused;
  const std::size_t column = roles_.features[index];
  const std::string name = names_.empty() ? "" : names_[column];
  const auto* known = options_.like == nullptr ? nullptr : &options_.like->columns;
  if (known != nullptr && !known->empty()) {
    features_.emplace_back((*known)[index], option_name(column), options_.missing, options_.empty,
                           options_.refuses_unknown ? Refused::unknown_texts : Refused::nothing);
    return;
  }
  if (options_.numbers_only) {
    features_.emplace_back(number_column(name), option_name(column), options_.missing, options_.empty,
                           Refused::unknown_texts_and_empty_cells);
    return;
  }
  const auto has = [column](const Columns& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  const bool is_text = has(roles_.categorical);
  require(is_text || kind != ColumnKind::unclear, [&] {
    return fmt::format(
        "The texts of {} of '{}' look like numbers, but cannot all be read as such{} (for example {}). Write them as "
        "numbers, read them as categories with --categorical={}, or drop the column with --drop={}.",
        column_text(column), file_, options_.decimal ? fmt::format(" with --decimal={}", *options_.decimal) : "",
        quoted(as_utf8(first_unreadable(column))), option_name(column), option_name(column));
  });
  const Kind as = is_text || (kind != ColumnKind::number && kind != ColumnKind::undecided) ? Kind::text
                  : kind == ColumnKind::number                                             ? Kind::number
                                                                                           : Kind::undecided;
  features_.emplace_back(name, option_name(column), as, options_.missing, options_.empty);
}

// Notes the columns that are left out because of their content, and those with the numbers of rows.
void Table::note_left_out(const std::vector<ColumnEvidence>& evidence) {
  if (!roles_.row_names.empty()) {
    Texts columns;
    for (const std::size_t column : roles_.row_names)
      columns.push_back(names_[column].empty() ? "the unnamed first column" : column_text(column));
    data_.notes.push_back(fmt::format("{} of '{}' {} left out (names or numbers of the rows)", some_of(columns), file_,
                                      columns.size() == 1 ? "was" : "were"));
  }
  for (const std::size_t column : roles_.left_out) {
    const ColumnEvidence& cells = evidence[column];
    const std::string example = quoted(as_utf8(cells.example));
    data_.notes.push_back(
        cells.dates > 0
            ? fmt::format("{} has dates or times ({}) and was left out; write them as numbers (such as days) to use "
                          "them, or pass --keep={} to take them as categories",
                          column_text(column), example, option_name(column))
            : fmt::format("{} has {} different texts in {} rows ({}), like an identifier, and was left out; "
                          "pass --keep={} to take them as categories",
                          column_text(column), cells.different_texts.size(), cells.texts, example,
                          option_name(column)));
  }
  if (names_.empty()) return;
  const auto remember = [this](const std::optional<std::size_t>& column) {
    if (column) data_.description.dropped_columns.push_back(names_[*column]);
  };
  for (const auto* columns : {&roles_.row_names, &roles_.left_out, &roles_.dropped})
    for (const std::size_t column : *columns) remember(column);
  for (const auto& column : {roles_.groups, roles_.folds, roles_.weights}) remember(column);
  Texts& dropped = data_.description.dropped_columns;
  dropped.erase(std::remove(dropped.begin(), dropped.end(), ""), dropped.end());
  std::sort(dropped.begin(), dropped.end());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
}

// Features of numbers that may be identifiers or codes.
void Table::note_codes(const std::vector<ColumnEvidence>& evidence, std::int64_t rows) {
  if (options_.like != nullptr || options_.numbers_only) return;
  for (std::size_t index = 0; index < features_.size(); ++index) {
    const std::size_t column = roles_.features[index];
    if (features_[index].kind() != FeatureColumn::Kind::number) continue;
    const ColumnEvidence& cells = evidence[column];
    const std::string name = names_.empty() ? "" : lower_case(names_[column]);
    const auto ends_with = [&name](const std::string& end) {
      return name == end ||
             (name.size() > end.size() && name.compare(name.size() - end.size() - 1, end.size() + 1, "_" + end) == 0);
    };
    const bool is_id = ends_with("id") || ends_with("index") || ends_with("key") || ends_with("no");
    if (is_id && rows > 1 && cells.whole == rows)
      data_.notes.push_back(
          fmt::format("{} is a feature, although its name is that of an identifier (leave it out with --drop={})",
                      column_text(column), option_name(column)));
    else if (cells.leading_zeros > 0)
      data_.notes.push_back(
          fmt::format("{} has numbers with leading zeros, like codes (--categorical={} takes them as categories)",
                      column_text(column), option_name(column)));
  }
}

void Table::choose_labels(const ColumnEvidence& evidence, ColumnKind kind) {
  const std::size_t column = roles_.targets.front();
  if (is_regression_) return;
  if (options_.like != nullptr || options_.task == Task::classification) {
    has_text_labels_ = true;
    return;
  }
  has_text_labels_ = (kind != ColumnKind::number && kind != ColumnKind::undecided) || evidence.leading_zeros > 0;
  const auto refuse = [&](const std::string& problem) {
    throw RunError(fmt::format(
        "The label {} of '{}' {} ({}). Choose another column with --label, or pass {}=classification to make each "
        "text a class.",
        column_text(column), file_, problem,
        quoted(as_utf8(kind == ColumnKind::unclear ? first_unreadable(column) : evidence.example)),
        options_.task_option));
  };
  if (kind == ColumnKind::unclear) refuse("has texts that look like numbers, but cannot all be read as such");
  if (kind == ColumnKind::date) refuse("has dates or times");
  if (kind == ColumnKind::identifier) refuse("has a different text in nearly every row, like an identifier");
}

// The forms of numbers in the current file.
void Table::choose_forms(const std::vector<ColumnEvidence>& evidence) {
  const NumberForm usual{mark_.mark, 0, false, "", false};
  forms_.assign(column_count_, usual);
  for (std::size_t column = 0; column < column_count_; ++column) {
    const ColumnEvidence& cells = evidence[column];
    if (cells.numbers > 0) forms_[column] = cells.form.form(mark_.mark).value_or(cells.form.likely_form(mark_.mark));
  }
  const auto note = [&](std::size_t column) {
    const auto is_column = [column](const auto& noted) { return noted.first == column; };
    if (std::any_of(forms_note_.begin(), forms_note_.end(), is_column)) return;
    for (const auto example : {evidence[column].example, evidence[column].pointed}) {
      const auto value = parse_cell(example, forms_[column]);
      if (!value || value == parse_number<double>(example)) continue;
      forms_note_.emplace_back(column, fmt::format("{} is {}", quoted(as_utf8(example)), *value));
      return;
    }
  };
  for (std::size_t index = 0; index < features_.size(); ++index) {
    features_[index].set_form(forms_[roles_.features[index]]);
    if (features_[index].kind() == FeatureColumn::Kind::number) note(roles_.features[index]);
  }
  for (const std::size_t column : roles_.targets)
    if (!has_text_labels_) note(column);
}

void Table::require_same_columns(const std::string& previous, const CsvStart& start) const {
  require(start.columns == column_count_,
          fmt::format("'{}' has {} columns, but '{}' has {} (all files must have the same columns). Import them "
                      "separately.",
                      file_, start.columns, previous, column_count_));
  const auto same = [](const std::string& now, const std::string& before) {
    return now == before || (now.empty() && is_row_number_name(before));
  };
  require(!start.header || names_.empty() || std::equal(start.names.begin(), start.names.end(), names_.begin(), same),
          fmt::format("'{}' and '{}' have different column names (all files must have the same columns in the same "
                      "order). Reorder the columns, or import the files separately.",
                      previous, file_));
}

// "column 2 ('price')"
std::string Table::column_text(std::size_t column) const {
  return names_.empty() ? fmt::format("column {}", column)
                        : fmt::format("column {} ({})", column, quoted(names_[column]));
}

std::string Table::option_name(std::size_t column) const {
  return !names_.empty() && is_plain(names_[column]) ? names_[column] : std::to_string(column);
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

double Table::target(std::size_t column, std::int64_t line) {
  const std::string_view text = fields_[column];
  const auto value =
      options_.empty.has_numbers() && is_empty_target(column) ? std::nullopt : parse_cell(text, forms_[column]);
  if (value && std::abs(*value) <= 3.4028234663852886e38) return *value;
  const std::string cell = quoted(std::string(text));
  if (is_empty_target(column))
    refuse(column, line,
           {text.empty() ? "is empty (a number is expected)"
                         : fmt::format("contains {}, which means an empty cell (a number is expected)", cell),
            drop_row_advice()});
  if (value)
    refuse(column, line, {fmt::format("contains {} (values must be finite in 32-bit floating point)", cell), ""});
  refuse(column, line,
         {fmt::format("contains {} (a number is expected)", cell),
          is_regression_ ? ""
                         : fmt::format(", or pass {}=classification to make each text a class", options_.task_option)});
}

bool Table::is_known_class(std::string_view label) const {
  if (options_.like == nullptr) return false;
  const auto& names = options_.like->class_names;
  return std::find(names.begin(), names.end(), label) != names.end();
}

bool Table::is_empty_number(std::size_t column) const {
  if (options_.empty.is_empty_number(fields_[column])) return true;
  const auto number = options_.empty.has_numbers() ? parse_cell(fields_[column], forms_[column]) : std::nullopt;
  return number && options_.empty.is_empty_value(*number);
}

bool Table::is_empty_target(std::size_t column) const {
  return has_text_labels_ ? options_.empty.is_empty(fields_[column]) && !is_known_class(fields_[column])
                          : is_empty_number(column);
}

void Table::add_label(std::string_view label, std::int64_t line) {
  const std::size_t column = roles_.targets.front();
  require(label.size() <= longest_label, [&] {
    return fmt::format(
        "The label in line {} of '{}' has {} bytes (the limit is {}). Choose another column with "
        "--label.",
        line, file_, label.size(), longest_label);
  });
  if (is_empty_target(column) && has_text_labels_)
    refuse(column, line,
           {label.empty() ? "is empty (a label is expected)"
                          : fmt::format("contains {}, which means an empty cell (a label is expected)",
                                        quoted(std::string(label))),
            label.empty() ? drop_row_advice()
                          : drop_row_advice() + ", or keep it as a class with --keep_default_na=false"});
  if (!has_text_labels_) {
    labels_.add(label, target(column, line));
    return;
  }
  const auto number = parse_cell(label, forms_[column]);
  // An infinite label is an error, as for numbers. Any other text is a number or a class name.
  if (number && !std::isfinite(static_cast<float>(*number))) target(column, line);
  labels_.add(label, has_leading_zeros(label) ? std::nullopt : number);
}

// Whether a feature or a target of the current record is empty.
bool Table::has_empty_cell() const {
  for (std::size_t index = 0; index < features_.size(); ++index)
    if (features_[index].is_empty(fields_[roles_.features[index]])) return true;
  return std::any_of(roles_.targets.begin(), roles_.targets.end(),
                     [this](std::size_t column) { return is_empty_target(column); });
}

bool Table::is_blank_row() const {
  for (std::size_t field = 0; field < fields_.size(); ++field)
    if (!fields_[field].empty()) return false;
  return true;
}

void Table::add_row(std::string_view record, std::int64_t line) {
  split(record, line);
  if (fields_.size() != column_count_) {
    bool is_empty = fields_.size() > column_count_ && fields_.size() <= column_count_ + empty_ends_;
    for (std::size_t field = column_count_; is_empty && field < fields_.size(); ++field)
      is_empty = fields_[field].empty();
    if (!is_empty && record.front() == '#') {
      ++comments_;
      return;
    }
    require(is_empty, [&] {
      return fmt::format(
          "Line {} of '{}' has {} columns, not {} (all rows must have the same number). Correct it, or pass "
          "--delimiter.",
          line, file_, fields_.size(), column_count_);
    });
  }
  // Spreadsheets write such lines below a table. In new data they may be rows.
  if (options_.like == nullptr && !options_.numbers_only && is_blank_row()) {
    ++blank_rows_;
    return;
  }
  if (options_.empty.has_numbers()) find_empty_texts();
  if (options_.missing.kind == MissingCells::Kind::drop && has_empty_cell()) {
    ++dropped_rows_;
    return;
  }
  for (std::size_t index = 0; index < features_.size(); ++index) {
    const std::size_t column = roles_.features[index];
    try {
      cells_.add(features_[index].read(fields_[column]));
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
  if (!roles_.groups && !roles_.folds && !roles_.weights) return;
  for (const auto& [data, column] :
       {std::pair(&groups_, roles_.groups), {&folds_, roles_.folds}, {&weights_, roles_.weights}}) {
    if (!column) continue;
    try {
      data->add(fields_[*column], options_.empty);
    } catch (const BadCell& bad) {
      refuse(*column, line, bad);
    }
  }
}

void Table::find_empty_texts() {
  const Texts& texts = options_.empty.added();
  for (std::size_t index = 0; index < texts.size(); ++index) {
    const auto number = found_empty_[index] ? std::nullopt : parse_number<double>(texts[index]);
    for (std::size_t column = 0; column < column_count_ && !found_empty_[index]; ++column)
      found_empty_[index] =
          fields_[column] == texts[index] || (number && parse_cell(fields_[column], forms_[column]) == number);
  }
}

void Table::set_targets() {
  CodedTargets coded;
  if (is_regression_) {
    coded.array = {NumberType::float64, {rows_}, {}};
    if (roles_.targets.size() > 1) coded.array.shape.push_back(static_cast<std::int64_t>(roles_.targets.size()));
    coded.array.bytes.reserve(coded.array.elements() * sizeof(double));
    target_numbers_.consume([&](double value) { append_bytes(coded.array.bytes, value); });
  } else {
    coded = labels_.finish(options_.task, options_.known_classes(),
                           fmt::format("{} of '{}'", column_text(roles_.targets.front()), file_));
  }
  if (is_real(coded.array.type)) {
    const auto* known = options_.like == nullptr ? nullptr : &options_.like->target_offsets;
    coded.array = with_offsets(std::move(coded.array), known, data_.description.target_offsets);
  }
  data_.set_targets(std::move(coded), options_.task_option);
}

void Table::add_notes() {
  const auto name_of = [this](std::size_t index) { return column_text(roles_.features[index]); };
  Texts texts, unknown;
  std::int64_t empty = 0, unknown_count = 0, empty_columns = 0;
  for (std::size_t index = 0; index < features_.size(); ++index) {
    const DataColumn& column = data_.description.columns[index];
    if (column.is_text()) texts.push_back(fmt::format("{}: {} categories", name_of(index), column.categories.size()));
    empty += features_[index].empty_cells();
    empty_columns += features_[index].empty_cells() > 0;
    unknown_count += features_[index].unknown_cells();
    if (features_[index].unknown_cells() > 0)
      unknown.push_back(fmt::format("{} in {}", quoted(features_[index].unknown_text()), name_of(index)));
  }
  if (!forms_note_.empty()) {
    Texts shown;
    for (const auto& [column, example] : forms_note_)
      shown.push_back(fmt::format("{}: {}", column_text(column), example));
    data_.notes.push_back(
        fmt::format("numbers with commas, signs or units of money were read as numbers ({}); pass "
                    "--decimal or --categorical if that is wrong",
                    some_of(shown, 20)));
  }
  if (!unclear_number_.empty())
    data_.notes.push_back(
        fmt::format("numbers such as {} were read with a decimal point (pass --decimal=, if points separate thousands)",
                    quoted(unclear_number_)));
  if (options_.like == nullptr && !texts.empty())
    data_.notes.push_back(fmt::format("text was encoded by categories ({})", some_of(texts)));
  if (empty > 0) {
    const bool is_known = options_.like != nullptr;
    data_.notes.push_back(fmt::format(
        "{} in {} {} empty: {}", counted(empty, "cell"), counted(empty_columns, "column"), empty == 1 ? "is" : "are",
        is_known ? "they are treated as in the training data"
                 : fill_text(options_.missing) + ", and an empty text is a category of its own"));
  }
  if (!unknown.empty())
    data_.notes.push_back(fmt::format("{} ({})", unknown_cells_note(unknown_count), some_of(unknown)));
  if (dropped_rows_ > 0)
    data_.notes.push_back(fmt::format("{} with empty cells {} left out", counted(dropped_rows_, "row"),
                                      dropped_rows_ == 1 ? "was" : "were"));
  for (std::size_t index = 0; index < found_empty_.size(); ++index)
    if (!found_empty_[index])
      data_.notes.push_back(fmt::format("no cell contains {} (--na_values)", quoted(options_.empty.added()[index])));
  if (blank_rows_ > 0)
    data_.notes.push_back(
        fmt::format("{} without any cell {} skipped", counted(blank_rows_, "line"), blank_rows_ == 1 ? "was" : "were"));
  if (comments_ > 0)
    data_.notes.push_back(
        fmt::format("{} between the rows {} skipped (#)", counted(comments_, "line"), comments_ == 1 ? "was" : "were"));
}

ImportedData Table::finish() {
  file_ = files_.front().text->name();
  decide_mark();
  choose_kinds();
  for (auto& file : files_) read_rows(file);
  require(
      rows_ > 0,
      fmt::format("'{}' has no rows left (--missing=drop leaves out rows with empty cells, and all have some). Pass "
                  "--missing=median, or leave out columns with --drop.",
                  file_));
  const std::string files = files_.size() == 1 ? fmt::format("'{}'", file_) : fmt::format("{} files", files_.size());
  data_.notes.insert(data_.notes.begin(),
                     fmt::format("{}: {} {}", files, counted(rows_ + dropped_rows_, "row"), taken_));
  const auto place_of = [&](std::size_t index) {
    return fmt::format("{} of '{}'", column_text(roles_.features[index]), file_);
  };
  data_.features = encode_columns(std::move(cells_), rows_, features_, place_of, data_.description.columns);
  const auto twice = repeated_feature_name(data_.description.columns);
  require(!twice, [&] {
    return fmt::format(
        "Two features of '{}' would have the name {} (a column of text has a feature COLUMN=CATEGORY for "
        "each category). Rename a column.",
        file_, quoted(*twice));
  });
  if (!roles_.targets.empty()) set_targets();
  for (const std::size_t column : roles_.targets)
    if (!names_.empty()) data_.description.target_names.push_back(names_[column]);
  if (options_.like != nullptr) data_.description.dropped_columns = options_.like->dropped_columns;
  if (roles_.groups) data_.groups = groups_.array();
  if (roles_.folds) data_.folds = folds_.array();
  if (roles_.weights) data_.weights = weights_.array();
  add_notes();
  return std::move(data_);
}

}  // namespace

ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& options) {
  Table table(options);
  for (const auto& source : sources) table.add_file(*source);
  return table.finish();
}

}  // namespace sheaf
