// Columns of a CSV file that describe its rows: groups, folds, times and weights.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
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
    times,   ///< numbers, or dates and times of ISO 8601
    weights  ///< numbers that are not negative
  };
  explicit RowData(Role role) : role_(role) {}

  /// Adds the cell of the next row; `form`: of the numbers of the column. Throws BadCell (csv_features).
  void add(std::string_view text, const EmptyCells& empty, const NumberForm& form);

  /// Throws RunError if a fold has no row, but a higher one has; `place` names the column. For folds only.
  void require_no_gaps(const std::string& place) const;

  /// [rows]: codes int64 of the groups, from 0 in sorted order; folds int32; times float64, of dates the
  /// seconds since 1970; weights float32.
  NumberArray array() const;

 private:
  void add_time(std::string_view text, const EmptyCells& empty, const NumberForm& form);
  NumberArray group_codes() const;

  Role role_;
  std::vector<double> numbers_;  // of folds, times and weights
  bool are_dates_ = false;       // the times
  std::unordered_map<std::string, std::int64_t> groups_;
  std::vector<std::int64_t> group_of_row_;
};

}  // namespace sheaf
