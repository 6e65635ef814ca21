// SPDX-License-Identifier: MIT
#include "data/row_set.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using Rows = std::vector<std::int64_t>;

namespace {

Rows among(const RowSet& set, IndexRange range) {
  Rows rows;
  set.for_each(range, [&](std::int64_t row) { rows.push_back(row); });
  return rows;
}

}  // namespace

TEST_CASE("a row set is all rows, the rows of a fold, the rows outside a fold, or a sample") {
  RowSet().for_each({0, 3}, [](std::int64_t) { FAIL("no rows"); });
  const auto folds = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{2, 0, 1, 0, 2, 2});
  const std::shared_ptr<const std::int32_t> fold_of(folds, folds->data());
  const RowSet all = RowSet::all(6), inside = RowSet::in_fold(fold_of, 6, 2),
               outside = RowSet::outside_fold(fold_of, 6, 2), sample = RowSet::sample({0, 3, 0, 1, 0, 2});
  CHECK(all.list() == Rows{0, 1, 2, 3, 4, 5});
  CHECK(inside.list() == Rows{0, 4, 5});
  CHECK(outside.list() == Rows{1, 2, 3});
  CHECK(sample.list() == Rows{1, 1, 1, 3, 5, 5});
  for (const RowSet& set : {all, inside, outside, sample}) {
    CHECK(set.data_rows() == 6);
    CHECK(set.count() == static_cast<std::int64_t>(set.list().size()));
    CHECK(among(set, {0, 6}) == set.list());
  }
  CHECK(among(all, {2, 4}) == Rows{2, 3});
  CHECK(among(inside, {1, 5}) == Rows{4});
  CHECK(among(outside, {1, 5}) == Rows{1, 2, 3});
  CHECK(among(sample, {1, 5}) == Rows{1, 1, 1, 3});
  const RowSet range = RowSet::range({2, 5}, 6);
  CHECK(range.list() == Rows{2, 3, 4});
  CHECK(range.count() == 3);
  CHECK(range.data_rows() == 6);
  CHECK(among(range, {0, 4}) == Rows{2, 3});
  CHECK(among(range, {4, 6}) == Rows{4});
  CHECK(among(range, {5, 6}).empty());
  CHECK(RowSet::range({6, 6}, 6).empty());
  CHECK(RowSet().empty());
  CHECK(RowSet().list().empty());
  CHECK(RowSet::in_fold(fold_of, 6, 7).empty());
}
