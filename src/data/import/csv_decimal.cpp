// SPDX-License-Identifier: MIT
#include "data/import/csv_decimal.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

// Whether the numbers of each column count for the decimal mark: those of features, targets, folds, times and weights.
std::vector<bool> may_be_numbers(const CsvLayout& layout, const CsvOptions& options) {
  const DataDescription* like = options.like;
  const ColumnRoles& roles = layout.roles;
  std::vector<bool> may_be(layout.column_count);
  for (std::size_t index = 0; index < layout.features.size(); ++index) {
    const DataColumn* known = like == nullptr || like->columns.empty() ? nullptr : &like->columns[index];
    may_be[layout.features[index].column] = known == nullptr || (!known->is_text() && !known->date);
  }
  for (const std::size_t column : roles.categorical) may_be[column] = false;
  const bool are_numbers = options.task != Task::classification && (like == nullptr || like->class_names.empty());
  for (const std::size_t column : roles.targets) may_be[column] = are_numbers;
  for (const auto& column : {roles.folds, roles.time, roles.weights})
    if (column) may_be[*column] = true;
  return may_be;
}

// A column of a file.
struct Place {
  const CsvBeginning* file;
  std::size_t column;
};

}  // namespace

ChosenDecimal choose_decimal(const std::vector<CsvBeginning>& files, const CsvLayout& layout,
                             const CsvOptions& options) {
  using Basis = DecimalMark::Basis;
  if (options.decimal) return {*options.decimal, true, ""};
  const std::vector<bool> are_used = may_be_numbers(layout, options);
  std::vector<Place> places;  // of `used`
  std::vector<const CommonForm*> used, others;
  for (const CsvBeginning& file : files)
    for (std::size_t column = 0; column < layout.column_count; ++column) {
      const ColumnEvidence& cells = file.evidence[column];
      if (cells.numbers == 0 || cells.numbers < cells.texts || cells.form.are_in_parentheses()) continue;
      if (are_used[column]) places.push_back({&file, column});
      (are_used[column] ? used : others).push_back(&cells.form);
    }
  const char delimiter = files.front().sample.syntax.delimiter;
  const bool is_like = options.like != nullptr;
  const auto known = is_like ? options.like->reading.decimal : std::nullopt;
  const DecimalMark found = decide_decimal(used, delimiter, is_like, known);
  if (found.basis == Basis::evidence || found.basis == Basis::none)
    return {found.mark, found.basis == Basis::evidence, ""};
  const auto evidence_of = [&](std::size_t at) -> const ColumnEvidence& {
    return places[at].file->evidence[places[at].column];
  };
  const auto place_of = [&](std::size_t at) {
    return fmt::format("{} of '{}'", layout.text_of(places[at].column), places[at].file->name());
  };
  require(found.basis != Basis::contradictory, [&] {
    return fmt::format(
        "{} in {} has a decimal comma, but {} in {} has a decimal point (the numbers of an import have one decimal "
        "mark). Write all numbers with the same mark, or pass --decimal with the right one and drop the other column "
        "or read it as categories.",
        quoted(as_utf8(evidence_of(found.column).decisive)), place_of(found.column),
        quoted(as_utf8(evidence_of(found.other).decisive)), place_of(found.other));
  });
  if (const DecimalMark shown = decide_decimal(others, delimiter, is_like); shown.basis == Basis::evidence)
    return {shown.mark, true, ""};
  const ColumnEvidence& unclear = evidence_of(found.column);
  const auto number = as_utf8(unclear.pointed.empty() ? unclear.example : unclear.pointed);
  require(found.basis != Basis::ambiguous, [&] {
    return fmt::format(
        "{} in {} has two meanings (its mark may be the decimal mark or separate thousands, and no other number "
        "of the file shows which). Pass --decimal=. or --decimal=,.",
        quoted(number), place_of(found.column));
  });
  const bool is_noted =
      found.basis == Basis::delimiter && delimiter != ',' && found.mark == '.' && !unclear.pointed.empty();
  return {found.mark, true, is_noted ? number : ""};
}

std::vector<NumberForm> number_forms(const std::vector<ColumnEvidence>& columns, char mark) {
  std::vector<NumberForm> forms;
  for (const ColumnEvidence& column : columns)
    forms.push_back(column.numbers == 0 ? NumberForm{mark, 0, false, "", false}
                                        : column.form.form(mark).value_or(column.form.likely_form(mark)));
  return forms;
}

std::optional<std::string> unusual_number(const ColumnEvidence& column, const NumberForm& form) {
  for (const auto example : {column.example, column.pointed}) {
    const auto value = parse_cell(example, form);
    if (value && value != parse_number<double>(example))
      return fmt::format("{} is {}", quoted(as_utf8(example)), *value);
  }
  return std::nullopt;
}

}  // namespace sheaf
