// SPDX-License-Identifier: MIT
#include "data/import/csv_kinds.hpp"

#include <algorithm>

namespace sheaf {
namespace {

// Fewer texts may all be different by chance.
constexpr std::int64_t min_identifiers = 30;
constexpr std::int64_t min_measurements = 10;

bool are_most(std::int64_t part, std::int64_t all) {
  return part * 10 >= all * 9;
}

}  // namespace

void ColumnEvidence::add(std::string_view cell, const EmptyCells& empty) {
  if (empty.has_numbers()) {
    if (empty.is_empty(cell)) return;
    const auto number = parse_number<double>(cell);
    if (number && empty.is_empty_value(*number)) return;
  }
  if (form.add(cell)) {
    ++numbers;
    leading_zeros += has_leading_zeros(cell);
    whole += cell.find_first_of(".,eE") == std::string_view::npos;
    if (counts_numbers || texts > 0) different_numbers.insert(cell);
    if (example.empty() || !parse_number<double>(cell)) example = cell;
    if (decisive.empty() && form.decimal()) decisive = cell;
    if (pointed.empty() && cell.find('.') != std::string_view::npos) pointed = cell;
    return;
  }
  if (empty.is_empty_number(cell)) {
    if (!empty.is_empty(cell)) different_texts.insert(cell);
    return;
  }
  ++texts;
  dates += is_date(cell);
  if (!date_format.add(cell) && odd_date.empty()) odd_date = cell;
  resembling += resembles_number(cell);
  different_texts.insert(cell);
  if (texts == 1 && numbers == 0) example = cell;
}

std::vector<ColumnEvidence> collect_evidence(const CsvSample& sample, std::size_t begin, std::size_t columns,
                                             std::optional<std::size_t> label, const EmptyCells& empty) {
  std::vector<ColumnEvidence> evidence(columns);
  if (label) evidence[*label].counts_numbers = true;
  for (std::size_t index = begin; index < sample.records.size(); ++index) {
    const auto& cells = sample.records[index].cells;
    if (cells.size() < columns) continue;
    for (std::size_t column = 0; column < columns; ++column) evidence[column].add(cells[column], empty);
  }
  return evidence;
}

DecimalMark decide_decimal(const std::vector<const CommonForm*>& columns, char delimiter, bool is_like,
                           std::optional<char> known) {
  using Basis = DecimalMark::Basis;
  std::optional<std::size_t> point, comma, unclear_point, unclear_comma;
  const auto remember = [](std::optional<std::size_t>& first, bool is_here, std::size_t column) {
    if (is_here && !first) first = column;
  };
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const CommonForm& form = *columns[column];
    remember(point, form.decimal() == '.', column);
    remember(comma, form.decimal() == ',', column);
    remember(unclear_point, form.is_ambiguous('.'), column);
    remember(unclear_comma, form.is_ambiguous(','), column);
  }
  if (point && comma) return {'.', Basis::contradictory, *comma, *point};
  if (point || comma) return {point ? '.' : ',', Basis::evidence, 0, 0};
  if (!unclear_point && !unclear_comma) return {'.', Basis::none, 0, 0};
  const std::size_t column = unclear_point ? *unclear_point : *unclear_comma;
  const bool is_clear = is_like ? delimiter == ',' && !unclear_comma : delimiter != ';' || !unclear_point;
  const bool is_like_known = known && (delimiter != ';' || *known == ',' || unclear_point);
  if (!is_clear && is_like_known) return {*known, Basis::known, column, column};
  if (!is_clear) return {'.', Basis::ambiguous, column, column};
  return {delimiter == ';' ? ',' : '.', Basis::delimiter, column, column};
}

ColumnKind kind_of(const ColumnEvidence& column, std::optional<char> decimal) {
  const auto different = static_cast<std::int64_t>(column.different_texts.size());
  if (column.numbers == 0 && column.texts == 0) return ColumnKind::undecided;
  if (column.numbers == 0 && column.date_format.format()) return ColumnKind::date;
  if (column.numbers >= column.texts) {
    if (column.form.are_in_parentheses()) return ColumnKind::text;
    const bool has_form =
        decimal ? column.form.form(*decimal).has_value() : column.form.form('.') || column.form.form(',');
    return has_form ? ColumnKind::number : ColumnKind::unclear;
  }
  if (are_most(column.dates, column.texts)) return ColumnKind::other_date;
  // Such as measurements of which most are below a limit.
  const auto different_numbers = static_cast<std::int64_t>(column.different_numbers.size());
  if (different_numbers >= min_measurements && 2 * different_numbers >= column.numbers) return ColumnKind::unclear;
  const bool are_many = different >= min_measurements && 2 * different >= column.texts;
  if (are_most(column.resembling, column.texts) && are_many) return ColumnKind::unclear;
  if (column.texts >= min_identifiers && are_most(different, column.texts)) return ColumnKind::identifier;
  return ColumnKind::text;
}

}  // namespace sheaf
