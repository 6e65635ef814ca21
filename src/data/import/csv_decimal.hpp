// How the numbers of an import are written: the decimal mark of all files, and the form of each column.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_layout.hpp"

namespace sheaf {

struct ChosenDecimal {
  char mark = '.';
  bool is_known = false;       ///< whether an option or numbers show the mark, or it follows from other facts
  std::string unclear_number;  ///< a number that has two meanings, for a note; empty: there is none
};

/// One decimal mark for all columns of all files: by those that are used or, if they do not show it, by the others.
/// Throws RunError for numbers with different marks, and for numbers with two meanings as decide_decimal().
ChosenDecimal choose_decimal(const std::vector<CsvBeginning>& files, const CsvLayout& layout,
                             const CsvOptions& options);

/// The form of the numbers of each column.
std::vector<NumberForm> number_forms(const std::vector<ColumnEvidence>& columns, char mark);

/// "'1,5' is 1.5": a number of the column that is not written as programs write it. nullopt: there is none.
std::optional<std::string> unusual_number(const ColumnEvidence& column, const NumberForm& form);

}  // namespace sheaf
