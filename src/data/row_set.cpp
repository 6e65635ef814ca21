// SPDX-License-Identifier: MIT
#include "data/row_set.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sheaf {

RowSet::RowSet(Kind kind, std::shared_ptr<const void> memory, std::int64_t data_rows, std::int64_t fold)
    : kind_(kind), memory_(std::move(memory)), data_rows_(data_rows), fold_(fold) {
  for_each([this](std::int64_t) { ++count_; });
}

RowSet RowSet::range(IndexRange range, std::int64_t rows) {
  RowSet set;
  set.data_rows_ = rows;
  set.range_ = range;
  set.count_ = range.count();
  return set;
}

RowSet RowSet::in_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold) {
  return {Kind::in_fold, std::move(fold_of), rows, fold};
}

RowSet RowSet::outside_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold) {
  return {Kind::outside_fold, std::move(fold_of), rows, fold};
}

RowSet RowSet::before_fold(std::shared_ptr<const std::int32_t> fold_of, std::int64_t rows, std::int64_t fold) {
  return {Kind::before_fold, std::move(fold_of), rows, fold};
}

RowSet RowSet::marked(std::shared_ptr<const std::vector<std::uint8_t>> marks, std::uint8_t mark) {
  const auto rows = static_cast<std::int64_t>(marks->size());
  const std::uint8_t* const begin = marks->data();
  return {Kind::marked, std::shared_ptr<const void>(std::move(marks), begin), rows, mark};
}

RowSet RowSet::sample(std::vector<std::uint8_t> times) {
  const auto rows = static_cast<std::int64_t>(times.size());
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(times));
  return {Kind::sample, std::shared_ptr<const void>(owner, owner->data()), rows, 0};
}

void RowSet::list(std::int64_t* rows) const {
  if (kind_ == Kind::range)
    std::iota(rows, rows + count_, range_.begin);
  else
    for_each([&rows](std::int64_t row) { *rows++ = row; });
}

std::vector<std::int64_t> RowSet::list() const {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count_));
  list(rows.data());
  return rows;
}

}  // namespace sheaf
