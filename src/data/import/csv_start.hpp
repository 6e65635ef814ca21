// Where the table of a CSV file begins: lines above it, the header, a row of units. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_kinds.hpp"
#include "data/import/csv_sample.hpp"

namespace sheaf {

/// Facts about a file that are known before it is read.
struct StartHints {
  std::optional<bool> header;         ///< --header
  std::vector<std::string> features;  ///< names of the features of a model or of another file; empty: none
  bool is_unnamed = false;            ///< the features of the model or the other file have no names
  std::vector<std::string> columns;   ///< that options name: the header has at least one of them
  std::optional<std::string> label;   ///< --label: the name or number of the label column; nullopt: the last one
  std::vector<std::string> left_out;  ///< names and numbers of columns that cannot be the label
};

struct CsvStart {
  std::size_t first = 0;  ///< number of the record in the sample with the header or, without one, the first row
  bool header = false;
  bool units = false;              ///< the record after the header has units
  std::vector<std::string> names;  ///< one per column; empty without a header
  std::size_t columns = 0;
  std::size_t empty_ends = 0;  ///< rows may have this many more cells, which are empty: separators at line ends

  /// The first row among the records of the sample.
  std::size_t first_row() const { return first + (header ? 1 : 0) + (units ? 1 : 0); }
};

/// Finds the start. Lines above the table are comments (#) and lines with fewer fields than the others, and one title
/// that is as wide as the table. Lines with numbers are above it only if they begin with a text and the header is
/// clear. The first line of the table is a header, in this order of evidence:
///   - `hints.header`;
///   - it has all features of the model, or a column that an option names;
///   - above columns of numbers it has texts that do not mean an empty cell;
///   - it is 0, 1, ... or 1, 2, ... and its label occurs nowhere else, or its numbers rise or fall beside a label that
///     is a text and occurs nowhere else;
///   - its label is a text that occurs nowhere else, while half of the labels or more are repeated;
///   - all columns are texts, and no text of the line occurs again in its column.
/// Otherwise it is a row. Throws RunError, with advice on --header, if the evidence is contradictory, and for tables
/// with borders, as programs print them. `file` is for the message.
CsvStart find_start(const CsvSample& sample, const StartHints& hints, const EmptyCells& empty, const std::string& file);

}  // namespace sheaf
