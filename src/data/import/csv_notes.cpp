// SPDX-License-Identifier: MIT
#include "data/import/csv_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;

const char* were(std::int64_t count) {
  return count == 1 ? "was" : "were";
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

// Whether a name is that of an identifier: "id", "customer_id".
bool names_identifier(const std::string& name) {
  const auto ends_with = [&name](const std::string& end) {
    return name == end ||
           (name.size() > end.size() && name.compare(name.size() - end.size() - 1, end.size() + 1, "_" + end) == 0);
  };
  return ends_with("id") || ends_with("index") || ends_with("key") || ends_with("no");
}

// Why dates are not read.
std::string problem_of_dates(const ColumnEvidence& cells) {
  if (cells.date_format.is_ambiguous()) return ": no cell shows whether the day or the month comes first";
  if (cells.numbers > 0)
    return fmt::format("; {} a number",
                       cells.numbers == 1 ? "1 cell has" : fmt::format("{} cells have", cells.numbers));
  if (cells.odd_date.empty() || cells.odd_date == cells.example) return "";
  return fmt::format("; {} is not a date of the same format", quoted(as_utf8(cells.odd_date)));
}

void add_left_out(const CsvBeginning& first, const CsvLayout& layout, Texts& notes) {
  const auto& row_names = layout.roles.row_names;
  Texts columns;
  for (const std::size_t column : row_names)
    columns.push_back(layout.names[column].empty() ? "the unnamed first column" : layout.text_of(column));
  if (!columns.empty())
    notes.push_back(fmt::format("{} of '{}' {} left out (names or numbers of the rows)", listed(columns), first.name(),
                                were(static_cast<std::int64_t>(columns.size()))));
  for (const std::size_t column : layout.roles.left_out) {
    const ColumnEvidence& cells = first.evidence[column];
    const std::string example = quoted(as_utf8(cells.example));
    notes.push_back(
        kind_of(cells, std::nullopt) == ColumnKind::date
            ? fmt::format("{} has dates ({}) and was left out (no feature comes from it)", layout.text_of(column),
                          example)
        : cells.dates > 0
            ? fmt::format("{} has dates or times ({}{}) and was left out; write them as 2024-05-31 or 2024-05-31 "
                          "13:45:00 to use them, or pass --keep={} to take them as categories",
                          layout.text_of(column), example, problem_of_dates(cells), layout.option_of(column))
            : fmt::format("{} has {} different texts in {} rows ({}), like an identifier, and was left out; "
                          "pass --keep={} to take them as categories",
                          layout.text_of(column), cells.different_texts.size(), cells.texts, example,
                          layout.option_of(column)));
  }
}

// Features of numbers that may be identifiers or codes.
void add_codes(const CsvBeginning& first, const CsvLayout& layout, const std::vector<FeatureColumn>& features,
               Texts& notes) {
  const std::int64_t rows = first.sampled_rows();
  for (std::size_t index = 0; index < features.size(); ++index) {
    const std::size_t column = layout.features[index].column;
    if (features[index].kind() != FeatureColumn::Kind::number) continue;
    const ColumnEvidence& cells = first.evidence[column];
    const bool is_id = !layout.names.empty() && names_identifier(lower_case(layout.names[column]));
    if (is_id && rows > 1 && cells.whole == rows)
      notes.push_back(
          fmt::format("{} is a feature, although its name is that of an identifier (leave it out with --drop={})",
                      layout.text_of(column), layout.option_of(column)));
    else if (cells.leading_zeros > 0)
      notes.push_back(
          fmt::format("{} has numbers with leading zeros, like codes (--categorical={} takes them as categories)",
                      layout.text_of(column), layout.option_of(column)));
  }
}

// "column 1 ('sold'): d/m/y"
Texts dates_of(const CsvLayout& layout) {
  Texts dates;
  for (const CsvFeature& feature : layout.features)
    if (feature.date_part && feature.date_part->date->part == DatePart::year)
      dates.push_back(fmt::format("{}: {}", layout.text_of(feature.column), name_of(feature.date_part->date->format)));
  return dates;
}

void add_empty_and_unknown(const CsvTable& table, const CsvLayout& layout, const CsvOptions& options, Texts& notes) {
  Texts unknown;
  std::int64_t empty = 0, unknown_count = 0, empty_columns = 0;
  for (std::size_t index = 0; index < table.features().size(); ++index) {
    const FeatureColumn& feature = table.features()[index];
    if (!layout.repeats_column(index)) {
      empty += feature.empty_cells();
      empty_columns += feature.empty_cells() > 0;
    }
    unknown_count += feature.unknown_cells();
    if (feature.unknown_cells() > 0)
      unknown.push_back(
          fmt::format("{} in {}", quoted(feature.unknown_text()), layout.text_of(layout.features[index].column)));
  }
  if (empty > 0)
    notes.push_back(fmt::format(
        "{} in {} {} empty: {}", counted(empty, "cell"), counted(empty_columns, "column"), empty == 1 ? "is" : "are",
        options.like != nullptr ? "they are treated as in the training data"
                                : fill_text(options.missing) + ", and an empty text is a category of its own"));
  if (!unknown.empty()) notes.push_back(fmt::format("{} ({})", unknown_cells_note(unknown_count), listed(unknown)));
}

// Two names that may mean the same: they differ in case, or one is a number and the other a truth value.
std::optional<std::pair<std::string, std::string>> similar_names(const Texts& names) {
  std::unordered_map<std::string, std::string> found;
  for (const auto& name : names) {
    std::string meaning = lower_case(name);
    if (meaning == "true") meaning = "1";
    if (meaning == "false") meaning = "0";
    const auto [other, is_new] = found.try_emplace(std::move(meaning), name);
    if (!is_new) return std::pair(other->second, name);
  }
  return std::nullopt;
}

void add_similar_names(const std::string& place, const std::string& what, const Texts& names, Texts& notes) {
  if (const auto similar = similar_names(names))
    notes.push_back(fmt::format("{} and {} are different {} of {} (write them in the same way if they mean the same)",
                                quoted(similar->first), quoted(similar->second), what, place));
}

void add_counts(const CsvCounts& counts, const CsvOptions& options, Texts& notes) {
  if (counts.dropped_rows > 0)
    notes.push_back(
        fmt::format("{} with empty cells {} left out", counted(counts.dropped_rows, "row"), were(counts.dropped_rows)));
  // Those of the known data need not occur.
  const bool are_known = options.like != nullptr && options.like->reading.na_values == options.empty.added();
  for (std::size_t index = 0; index < counts.found_empty_texts.size() && !are_known; ++index)
    if (!counts.found_empty_texts[index])
      notes.push_back(fmt::format("no cell contains {} (--na_values)", quoted(options.empty.added()[index])));
  if (counts.blank_rows > 0)
    notes.push_back(
        fmt::format("{} without any cell {} skipped", counted(counts.blank_rows, "line"), were(counts.blank_rows)));
  if (counts.comments > 0)
    notes.push_back(
        fmt::format("{} between the rows {} skipped (#)", counted(counts.comments, "line"), were(counts.comments)));
}

}  // namespace

std::string layout_note(const CsvBeginning& first, const CsvLayout& layout) {
  const CsvStart& start = first.start;
  const auto& records = first.sample.records;
  const std::int64_t header_line = records[start.first].line;
  Texts parts = {start.header ? fmt::format("header in line {}", header_line) : "no header"};
  if (start.first > 0) parts.push_back(fmt::format("{} above it skipped", counted(header_line - 1, "line")));
  if (start.units) parts.push_back(fmt::format("units in line {}", records[start.first + 1].line));
  Texts targets;
  for (const std::size_t column : layout.roles.targets) targets.push_back(layout.text_of(column));
  parts.push_back(targets.empty()      ? "no label"
                  : layout.has_numbers ? "target " + listed(targets)
                                       : "label " + targets.front());
  return fmt::format("of {}: {}", counted(static_cast<std::int64_t>(layout.column_count), "column"),
                     fmt::join(parts, ", "));
}

std::vector<std::string> column_notes(const CsvBeginning& first, const CsvLayout& layout,
                                      const std::vector<FeatureColumn>& features, const CsvOptions& options) {
  Texts notes;
  add_left_out(first, layout, notes);
  if (options.like == nullptr && !options.numbers_only) add_codes(first, layout, features, notes);
  return notes;
}

std::vector<std::string> cell_notes(const CsvTable& table, const CsvLayout& layout, const ChosenDecimal& decimal,
                                    const DataDescription& description, const CsvOptions& options) {
  constexpr std::size_t max_unusual = 20;
  const auto& columns = description.columns;
  Texts notes, unusual, texts;
  for (const auto& [column, example] : table.counts().unusual_numbers)
    unusual.push_back(fmt::format("{}: {}", layout.text_of(column), example));
  for (std::size_t index = 0; index < columns.size(); ++index)
    if (columns[index].is_text())
      texts.push_back(fmt::format("{}: {} categories", layout.text_of(layout.features[index].column),
                                  columns[index].categories.size()));
  if (!unusual.empty())
    notes.push_back(
        fmt::format("numbers with commas, signs or units of money were read as numbers ({}); pass "
                    "--decimal or --categorical if that is wrong",
                    listed(unusual, max_unusual)));
  if (!decimal.unclear_number.empty())
    notes.push_back(
        fmt::format("numbers such as {} were read with a decimal point (pass --decimal=, if points separate thousands)",
                    quoted(decimal.unclear_number)));
  if (const Texts dates = dates_of(layout); !dates.empty())
    notes.push_back(
        fmt::format("dates became numbers: year, month, day, weekday (0 is Monday) and days since 1970 ({}); "
                    "--categorical takes them as categories",
                    listed(dates)));
  if (options.like == nullptr && !texts.empty())
    notes.push_back(fmt::format("text was encoded by categories ({})", listed(texts)));
  if (options.like == nullptr) {
    for (std::size_t index = 0; index < columns.size(); ++index)
      add_similar_names(layout.text_of(layout.features[index].column), "categories", columns[index].categories, notes);
    if (!layout.roles.targets.empty())
      add_similar_names(layout.text_of(layout.roles.targets.front()), "classes", description.class_names, notes);
  }
  add_empty_and_unknown(table, layout, options, notes);
  add_counts(table.counts(), options, notes);
  return notes;
}

}  // namespace sheaf
