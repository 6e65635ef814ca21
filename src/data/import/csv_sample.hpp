// The first records of a CSV file, split into cells.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/csv_records.hpp"
#include "data/import/csv_text.hpp"

namespace sheaf {

struct CsvSample {
  struct Record {
    std::int64_t line = 0;
    std::string_view text;
    std::vector<std::string_view> cells;
  };

  CsvSyntax syntax;
  bool is_whole = false;  ///< whether these are all records
  bool declared = false;  ///< whether a line "sep=;" is before them
  std::vector<Record> records;
  std::deque<std::string> unescaped;  ///< of cells with doubled quotes
};

/// Takes the records at the beginning of `text`, which must outlive the result. `delimiter`: 0: from a line "sep=;",
/// otherwise detect_delimiter(). Records that cannot be split have no cells. Throws RunError if the file is empty.
CsvSample take_sample(const CsvText& text, char delimiter);

}  // namespace sheaf
