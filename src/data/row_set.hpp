// Sets of rows for training and validation, stored without a list of row numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Rows of a data set in ascending order; rows may be repeated. Cheap to copy, and immutable. Memory: none for ranges
/// of rows; 4 bytes per row of the data set for folds, shared by all folds; 1 byte per row for samples and for marks,
/// shared by all sets of the same marks.
class RowSet {
 public:
  /// No rows.
  RowSet() = default;

  /// The rows 0..rows-1.
  static RowSet all(std::int64_t rows) { return range({0, rows}, rows); }
  /// The rows of 0..rows-1 that are in `range`.
  static RowSet range(IndexRange range, std::int64_t rows);
  /// The rows of 0..rows-1 with fold_of[row] == fold; with another fold; with a fold less than `fold`. Rows whose fold
  /// is negative are only in sets of their fold.
  static RowSet in_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold);
  static RowSet outside_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold);
  static RowSet before_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold);
  /// The rows with marks[row] == mark.
  static RowSet marked(std::shared_ptr<const std::vector<std::uint8_t>> marks, std::uint8_t mark);
  /// Row r is repeated times[r] times.
  static RowSet sample(std::vector<std::uint8_t> times);

  /// The number of rows, with repetitions.
  std::int64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// The number of rows of the data set.
  std::int64_t data_rows() const { return data_rows_; }

  /// Calls use(row) for each row, or for each row in the range `among`.
  template <class Use>
  void for_each(IndexRange among, const Use& use) const;
  template <class Use>
  void for_each(const Use& use) const {
    for_each({0, data_rows_}, use);
  }

  /// Writes all count() row numbers to `rows`.
  void list(std::int64_t* rows) const;
  std::vector<std::int64_t> list() const;

 private:
  enum class Kind : std::uint8_t { range, in_fold, outside_fold, before_fold, marked, sample };

  RowSet(Kind kind, std::shared_ptr<const void> memory, std::int64_t data_rows, std::int64_t fold);
  const std::int32_t* fold_of() const { return static_cast<const std::int32_t*>(memory_.get()); }
  const std::uint8_t* bytes() const { return static_cast<const std::uint8_t*>(memory_.get()); }  // marks or times

  Kind kind_ = Kind::range;
  std::shared_ptr<const void> memory_;
  std::int64_t data_rows_ = 0, fold_ = 0, count_ = 0;  // fold_: or the mark
  IndexRange range_;
};

template <class Use>
void RowSet::for_each(IndexRange among, const Use& use) const {
  switch (kind_) {
    case Kind::range:
      for (std::int64_t row = std::max(among.begin, range_.begin); row < std::min(among.end, range_.end); ++row)
        use(row);
      break;
    case Kind::in_fold:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        if (fold_of()[row] == fold_) use(row);
      break;
    case Kind::outside_fold:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        if (fold_of()[row] != fold_ && fold_of()[row] >= 0) use(row);
      break;
    case Kind::before_fold:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        if (fold_of()[row] < fold_ && fold_of()[row] >= 0) use(row);
      break;
    case Kind::marked:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        if (bytes()[row] == fold_) use(row);
      break;
    case Kind::sample:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        for (int time = 0; time < bytes()[row]; ++time) use(row);
      break;
  }
}

}  // namespace sheaf
