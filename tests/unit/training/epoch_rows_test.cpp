// SPDX-License-Identifier: MIT
#include "training/epoch_rows.hpp"

#include <algorithm>
#include <vector>

#include "data/row_draws.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

using Rows = std::vector<std::int64_t>;

const RowSet rows = RowSet::sample({1, 0, 2, 1, 1, 3});

Rows epoch(EpochRows& order, std::int64_t number) {
  const std::int64_t* begin = order.of(number);
  return {begin, begin + rows.count()};
}

TrainOptions options_of(std::int64_t batch_size, bool shuffle) {
  TrainOptions train = test::plain_training();
  train.batch_size = batch_size;
  train.shuffle = shuffle;
  return train;
}

}  // namespace

TEST_CASE("the order of an epoch does not depend on earlier epochs") {
  EpochRows order(rows, options_of(3, true), {}, 5);
  CHECK_FALSE(order.repeat_one_batch());
  for (const std::int64_t number : {0, 3, 1, 1, 0}) CHECK(epoch(order, number) == epoch_order(rows, true, 5, number));
  CHECK(epoch(order, 0) != epoch(order, 1));
}

TEST_CASE("the order of rows in a single batch without dropout is ascending") {
  EpochRows order(rows, options_of(0, true), {}, 5);
  CHECK(order.repeat_one_batch());
  CHECK(epoch(order, 4) == rows.list());
  ModelOptions dropping = test::plain_model();
  dropping.dropout = 0.5;
  EpochRows with_dropout(rows, options_of(0, true), dropping, 5);
  CHECK_FALSE(with_dropout.repeat_one_batch());
  CHECK(epoch(with_dropout, 4) == epoch_order(rows, true, 5, 4));
}

TEST_CASE("without shuffling, rows are in ascending order") {
  EpochRows order(rows, options_of(3, false), {}, 5);
  CHECK_FALSE(order.repeat_one_batch());
  CHECK(epoch(order, 2) == rows.list());
  CHECK(EpochRows(rows, options_of(8, false), {}, 5).repeat_one_batch());
}
