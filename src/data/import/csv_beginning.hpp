// The beginning of a CSV file, which decides how all of it is read.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/csv_kinds.hpp"
#include "data/import/csv_options.hpp"
#include "data/import/csv_sample.hpp"
#include "data/import/csv_start.hpp"
#include "data/import/csv_text.hpp"

namespace sheaf {

struct CsvBeginning {
  std::unique_ptr<CsvText> text;  ///< the whole file, from its beginning
  CsvSample sample;
  CsvStart start;
  std::int64_t first_line = 0;           ///< of the rows
  std::vector<ColumnEvidence> evidence;  ///< of each column, by the rows of the sample

  const std::string& name() const { return text->name(); }
  std::int64_t sampled_rows() const { return static_cast<std::int64_t>(sample.records.size() - start.first_row()); }
  /// Frees the cells; the counts of the evidence stay.
  void forget_cells();
};

/// Reads the beginning of `source`, which must outlive the result. `names`: those of the first file of the import,
/// empty if it has none; null: this is the first file. Throws RunError if there is no row.
CsvBeginning read_beginning(ByteSource& source, const CsvOptions& options, const std::vector<std::string>* names);

/// The first cell of the column in the sample that is not a number like most of the column. `decimal`: the mark of the
/// import, if it is known.
std::string_view first_unreadable(const CsvBeginning& file, std::size_t column, std::optional<char> decimal,
                                  const EmptyCells& empty);

}  // namespace sheaf
