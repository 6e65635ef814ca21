// Which rows of a data set train or validate, without a list of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/index_range.hpp"

namespace sheaf {

/// Rows of a data set in ascending order, some of them perhaps several times. It takes no memory, one number per row of
/// the data set that others look at, too (folds), or one byte per row (samples). Cheap to copy; immutable.
class RowSet {
 public:
  /// No rows.
  RowSet() = default;

  /// The rows 0..rows-1.
  static RowSet all(std::int64_t rows);
  /// Those of `rows` rows whose number in `fold_of` is `fold`, or is another.
  static RowSet in_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold);
  static RowSet outside_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold);
  /// Each row as often as `times` says.
  static RowSet sample(std::vector<std::uint8_t> times);

  /// Repeated rows count as often as they occur.
  std::int64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// Of the data set, chosen or not.
  std::int64_t data_rows() const { return data_rows_; }

  /// Calls use(row) for each of the rows, or for those inside `among` alone.
  template <class Use>
  void for_each(IndexRange among, const Use& use) const;
  template <class Use>
  void for_each(const Use& use) const {
    for_each({0, data_rows_}, use);
  }

  /// Writes all count() of them to `rows`.
  void list(std::int64_t* rows) const;
  std::vector<std::int64_t> list() const;

 private:
  enum class Kind : std::uint8_t { all, in_fold, outside_fold, sample };

  RowSet(Kind kind, std::shared_ptr<const void> memory, std::int64_t data_rows, std::int64_t fold);
  const std::int32_t* fold_of() const { return static_cast<const std::int32_t*>(memory_.get()); }
  const std::uint8_t* times() const { return static_cast<const std::uint8_t*>(memory_.get()); }

  Kind kind_ = Kind::all;
  std::shared_ptr<const void> memory_;
  std::int64_t data_rows_ = 0, fold_ = 0, count_ = 0;
};

template <class Use>
void RowSet::for_each(IndexRange among, const Use& use) const {
  switch (kind_) {
    case Kind::all:
      for (std::int64_t row = among.begin; row < among.end; ++row) use(row);
      break;
    case Kind::in_fold:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        if (fold_of()[row] == fold_) use(row);
      break;
    case Kind::outside_fold:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        if (fold_of()[row] != fold_) use(row);
      break;
    case Kind::sample:
      for (std::int64_t row = among.begin; row < among.end; ++row)
        for (int time = 0; time < times()[row]; ++time) use(row);
      break;
  }
}

}  // namespace sheaf
