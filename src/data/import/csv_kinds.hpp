// The kinds of the columns of a CSV file, by the cells of a sample. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "data/import/csv_numbers.hpp"
#include "data/import/csv_sample.hpp"

namespace sheaf {

enum class ColumnKind {
  undecided,   ///< all cells are empty
  number,      ///< numbers, perhaps with a few bad cells
  text,        ///< categories
  identifier,  ///< texts that are nearly all different
  date,        ///< dates or times
  unclear      ///< texts that resemble numbers, many different numbers among texts, numbers without a common form
};

/// Counts of the cells of a column.
struct ColumnEvidence {
  std::int64_t numbers = 0;
  std::int64_t texts = 0;
  std::int64_t dates = 0;          ///< of the texts
  std::int64_t resembling = 0;     ///< of the texts: those that resemble numbers
  std::int64_t leading_zeros = 0;  ///< of the numbers
  std::int64_t whole = 0;          ///< of the numbers: those without a decimal separator
  CommonForm form;                 ///< of the numbers
  std::unordered_set<std::string_view> different_texts;
  std::unordered_set<std::string_view> different_numbers;  ///< as texts; after a text, or if `counts_numbers`
  bool counts_numbers = false;
  std::string_view example;  ///< a text or a number of the column, preferably one that is not a plain number

  void add(std::string_view cell, const EmptyCells& empty);
  /// Whether nearly all cells that are not empty are numbers.
  bool is_numeric() const { return numbers > 0 && numbers >= 4 * texts; }
  bool occurs(std::string_view cell) const {
    return different_texts.count(cell) != 0 || different_numbers.count(cell) != 0;
  }
};

/// The evidence of the records from number `begin` on that have at least `columns` cells. Numbers are counted as texts,
/// too, in column `label`.
std::vector<ColumnEvidence> collect_evidence(const CsvSample& sample, std::size_t begin, std::size_t columns,
                                             std::optional<std::size_t> label, const EmptyCells& empty);

/// The decimal separator that numbers of the columns show: nullopt if they show none or both.
std::optional<char> common_decimal(const std::vector<ColumnEvidence>& columns);

/// The kind of a column and, for numbers, their form. A column of which at least half of the cells are numbers is a
/// column of numbers. `decimal`: of the file, if known.
struct KnownKind {
  ColumnKind kind = ColumnKind::undecided;
  NumberForm form;
};
KnownKind kind_of(const ColumnEvidence& column, std::optional<char> decimal, char delimiter);

}  // namespace sheaf
