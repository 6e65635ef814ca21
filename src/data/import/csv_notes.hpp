// Notes for the log on how CSV files were read. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_layout.hpp"
#include "data/import/csv_table.hpp"

namespace sheaf {

/// "of 5 columns: header in line 1, label column 4 ('species')"
std::string layout_note(const CsvBeginning& first, const CsvLayout& layout);

/// Columns that are left out because of their content or their name, and columns of numbers that are features, but may
/// be identifiers or codes.
std::vector<std::string> column_notes(const CsvBeginning& first, const CsvLayout& layout,
                                      const std::vector<FeatureColumn>& features, const CsvOptions& options);

/// How the cells of `table` were read, after it was finished. `description`: of its columns and classes.
std::vector<std::string> cell_notes(const CsvTable& table, const CsvLayout& layout, const ChosenDecimal& decimal,
                                    const DataDescription& description, const CsvOptions& options);

}  // namespace sheaf
