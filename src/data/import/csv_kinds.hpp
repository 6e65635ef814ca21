// The kinds of the columns of a CSV file, by the cells of a sample. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "data/import/csv_dates.hpp"
#include "data/import/csv_numbers.hpp"
#include "data/import/csv_sample.hpp"

namespace sheaf {

enum class ColumnKind {
  undecided,   ///< all cells are empty
  number,      ///< numbers, perhaps with a few bad cells
  text,        ///< categories
  identifier,  ///< texts that are nearly all different
  date,        ///< dates of one format
  other_date,  ///< dates or times, most of which have no format in common that parse_date() knows, or two
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
  CommonDateFormat date_format;    ///< of the texts
  std::unordered_set<std::string_view> different_texts;
  std::unordered_set<std::string_view> different_numbers;  ///< as texts; after a text, or if `counts_numbers`
  bool counts_numbers = false;
  std::string_view example;   ///< a text or a number of the column, preferably one that is not a plain number
  std::string_view pointed;   ///< the first number with a point
  std::string_view odd_date;  ///< the first text after which the texts have no date format in common
  std::string_view decisive;  ///< the number that shows the decimal mark of the column; empty: none does

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

/// The decimal mark of all numbers of an import.
struct DecimalMark {
  enum class Basis {
    evidence,       ///< numbers that have only one meaning
    delimiter,      ///< the usual mark of files with this delimiter
    known,          ///< the mark of the data that the file is read like
    contradictory,  ///< there are numbers with a decimal point and numbers with a decimal comma
    ambiguous,      ///< a mark before three digits may be the decimal mark or separate thousands
    none            ///< no number depends on it
  };
  char mark = '.';
  Basis basis = Basis::none;
  std::size_t column = 0;  ///< one that shows a decimal comma or, if `ambiguous` or `delimiter`, both
  std::size_t other = 0;   ///< if `contradictory`: one that shows a decimal point
};

/// Decides on the decimal mark, by all `columns` (of all files) together. Numbers such as 1.234 and 1,234, which have
/// two meanings, take the mark of the numbers with one meaning. Without such numbers they take a point or, in files
/// with semicolons in which only commas occur, a comma. They are ambiguous if points occur in files with semicolons.
/// `is_like`: the file is read as another one was, and nothing may be guessed. Only points in files with commas as the
/// delimiter are clear. Others have the mark `known` of the other file, unless they are commas in a file with
/// semicolons and the mark is a point.
DecimalMark decide_decimal(const std::vector<const CommonForm*>& columns, char delimiter, bool is_like,
                           std::optional<char> known = std::nullopt);

/// The kind of a column. A column of which at least half of the cells are numbers is a
/// column of numbers. `decimal`: of the import; nullopt: not known yet.
ColumnKind kind_of(const ColumnEvidence& column, std::optional<char> decimal);

}  // namespace sheaf
