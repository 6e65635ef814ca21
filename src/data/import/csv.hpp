// Imports tables of numbers and texts from CSV files.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "data/import/csv_options.hpp"
#include "data/import/imported_data.hpp"
#include "files/byte_source.hpp"

namespace sheaf {

/// Imports the rows of all files, in order: features float32 [rows, columns], stored rows as in data/column_encoding,
/// with the columns in the order of the file or, with `like`, of its columns. The first file decides where the table
/// begins (csv_start) and what its columns are (csv_kinds). Throws RunError with the file and line.
ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& options);

}  // namespace sheaf
