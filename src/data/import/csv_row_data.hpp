// Columns of a CSV file that describe its rows: groups, folds and weights.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/import/csv_numbers.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

class RowData {
 public:
  enum class Role {
    groups,  ///< texts or numbers; rows with the same one belong together
    folds,   ///< integers from 0
    weights  ///< numbers that are not negative
  };
  explicit RowData(Role role) : role_(role) {}

  /// Adds the cell of the next row. Throws BadCell (csv_features).
  void add(std::string_view text, const EmptyCells& empty);

  /// [rows]: codes int64 of the groups, from 0 in sorted order; folds int32; weights float32.
  NumberArray array() const;

 private:
  NumberArray group_codes() const;

  Role role_;
  std::vector<double> numbers_;  // of folds and weights
  std::unordered_map<std::string, std::int64_t> groups_;
  std::vector<std::int64_t> group_of_row_;
};

}  // namespace sheaf
