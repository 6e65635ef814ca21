// The rows of the CSV files of an import.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_decimal.hpp"
#include "data/import/csv_feature_choice.hpp"
#include "data/import/csv_layout.hpp"
#include "data/import/csv_records.hpp"
#include "data/import/csv_row_data.hpp"
#include "data/import/csv_targets.hpp"
#include "data/import/imported_data.hpp"

namespace sheaf {

/// Facts about the rows, for notes.
struct CsvCounts {
  std::int64_t rows = 0;
  std::int64_t dropped_rows = 0;        ///< rows with empty cells, left out by --missing=drop
  std::int64_t blank_rows = 0;          ///< lines without any cell
  std::int64_t comments = 0;            ///< lines between the rows
  std::vector<bool> found_empty_texts;  ///< whether each text of EmptyCells::added() occurs
  std::vector<std::pair<std::size_t, std::string>> unusual_numbers;  ///< columns with unusual_number()
};

/// Collects the rows of all files, in order.
class CsvTable {
 public:
  /// The references must outlive this object, apart from `first`. Throws as choose_features() and CsvTargets.
  CsvTable(const CsvBeginning& first, const CsvLayout& layout, const ChosenDecimal& decimal, const CsvOptions& options);

  /// Adds the rows of the next file, and frees it. Throws RunError with the line and the column.
  void add_file(CsvBeginning file);

  const CsvCounts& counts() const { return counts_; }
  const std::vector<FeatureColumn>& features() const { return features_; }

  /// Moves the rows to `data`, after all files have been added. Throws RunError if there are none. `file`: the last
  /// one, for messages.
  void finish(const std::string& file, ImportedData& data);

 private:
  void choose_forms(const std::vector<ColumnEvidence>& evidence);
  void add_record(std::string_view record, std::int64_t line);
  void split(std::string_view record, std::int64_t line);
  bool is_row(std::string_view record, std::int64_t line);
  bool is_blank() const;
  bool has_empty_cell() const;
  void find_empty_texts();
  void add_cells();
  template <class Read>
  void read_cell(std::size_t column, const Read& read);

  const CsvLayout& layout_;
  const ChosenDecimal& decimal_;
  const CsvOptions& options_;
  std::string file_;               // name of the current file
  std::int64_t line_ = 0;          // of the current record
  char delimiter_ = ',';           // of the current file
  std::size_t empty_ends_ = 0;     // of the current file
  std::vector<NumberForm> forms_;  // of all columns in the current file
  CsvFields fields_;               // of the current record
  std::vector<FeatureColumn> features_;
  CellBlocks cells_;  // of features
  CsvTargets targets_;
  RowData groups_{RowData::Role::groups};
  RowData folds_{RowData::Role::folds};
  RowData times_{RowData::Role::times};
  RowData weights_{RowData::Role::weights};
  std::vector<std::string> ids_;
  CsvCounts counts_;
};

}  // namespace sheaf
