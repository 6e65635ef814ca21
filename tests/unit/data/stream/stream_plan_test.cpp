// SPDX-License-Identifier: MIT
#include "data/stream/stream_plan.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

DataOptions options_of(std::int64_t mebibytes, std::int64_t window = 0, std::int64_t read_ahead = 1) {
  DataOptions options = test::plain_data();
  options.file = "large.h5";
  options.memory_mib = mebibytes;
  options.window = window;
  options.read_ahead = read_ahead;
  return options;
}

std::vector<std::int64_t> counting(std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST_CASE("windows are as large as memory allows, up to the size that mixes rows well") {
  // Blocks of 100 rows of 1024 bytes: 10 of them fill half of 2 MiB.
  const StreamPlan plan = plan_stream(options_of(2), 5010, 100, 1024);
  CHECK(plan.blocks() == 51);
  CHECK(plan.window_blocks == 10);
  CHECK(plan.windows() == 6);
  CHECK(plan.window_rows() == 1000);
  CHECK(plan.blocks_of(0) == IndexRange{0, 10});
  CHECK(plan.blocks_of(5) == IndexRange{50, 51});
  CHECK(plan_stream(options_of(2, 0, 3), 5010, 100, 1024).window_blocks == 5);
  CHECK(plan_stream(options_of(2, 250), 5010, 100, 1024).window_blocks == 3);
  CHECK(plan_stream(options_of(1000), 5010, 100, 1024).windows() == 1);
  // The limit for good mixing is half of 128 MiB, in blocks of 500 rows.
  CHECK(plan_stream(options_of(0), 1000000, 100, 1024).window_rows() == 65500);
  CHECK(plan_stream(options_of(10000), 1000000, 100, 1024).window_rows() == 65500);
  // Large chunks need larger windows: as many chunks as fit into 384 MiB, at most 128.
  CHECK(plan_stream(options_of(0), 1000000, 10000, 1024).window_blocks == 19);
  CHECK(plan_stream(options_of(10000), 4000000, 10000, 1024).window_blocks == 128);
}

TEST_CASE("memory that windows do not need keeps blocks, evenly spaced over the file") {
  CHECK(plan_stream(options_of(2), 5010, 100, 1024).kept_blocks == 0);
  CHECK(plan_stream(options_of(2), 5010, 100, 1024).text() == "6 windows of 1000 rows, 2 in memory");
  const StreamPlan plan = plan_stream(options_of(2, 250), 5010, 100, 1024);
  CHECK(plan.kept_blocks == 14);  // 20 blocks fit, and two windows of 3 blocks use 6 of them
  CHECK(plan.text() == "17 windows of 300 rows, 2 in memory; 27 % of the file is kept in memory");
  for (const std::int64_t kept : {0, 1, 14, 50, 51}) {
    StreamPlan some = plan;
    some.kept_blocks = kept;
    std::int64_t count = 0, nearest = plan.blocks(), last = -plan.blocks();
    for (std::int64_t block = 0; block < plan.blocks(); ++block) {
      const auto position = some.kept_index(block);
      if (!position) continue;
      CHECK(*position == count++);
      nearest = std::min(nearest, block - last);
      last = block;
    }
    CHECK(count == kept);
    if (kept > 0) CHECK(nearest >= plan.blocks() / kept);
  }
  // No blocks are kept if they would be less than an eighth of the file.
  CHECK(plan_stream(options_of(0), 2000000, 100, 1024).kept_blocks == 524);
  CHECK(plan_stream(options_of(0), 2200000, 100, 1024).kept_blocks == 0);
  // A file that fits into memory is read once, without separate windows.
  CHECK(plan_stream(options_of(10), 10000, 100, 1024).keeps_all());
  CHECK_FALSE(plan_stream(options_of(10), 10300, 100, 1024).keeps_all());
  for (const std::int64_t window : {0, 250}) {
    const StreamPlan small = plan_stream(options_of(100, window), 5010, 100, 1024);
    CHECK(small.keeps_all());
    CHECK(small.text() == (window == 0 ? "1 window of 5010 rows; the whole file is kept in memory"
                                       : "17 windows of 300 rows; the whole file is kept in memory"));
  }
}

TEST_CASE("a plan that does not fit into data.memory is refused with the amount that would suffice") {
  CHECK_THROWS_WITH(plan_stream(options_of(1), 100000, 10000, 1024),
                    "The chunks of 'large.h5' are too large for streaming (2 windows need 20 MiB, but data.memory "
                    "is 1). Set data.memory = 20 or more, or rewrite the file with smaller chunks.");
  CHECK_THROWS_WITH(plan_stream(options_of(2, 2000), 5000, 100, 1024),
                    "data.window = 2000 does not fit into memory (2 windows need 4 MiB, but data.memory is 2). "
                    "Set data.memory = 4 or more, or reduce data.window.");
}

TEST_CASE("files larger than the memory are streamed unless data.mode is set") {
  CHECK(is_streamed(options_of(2), (2 << 20) + 1, 0));
  CHECK_FALSE(is_streamed(options_of(2), 2 << 20, 0));
  CHECK(is_streamed(options_of(0), 51, 100));
  CHECK_FALSE(is_streamed(options_of(0), 50, 100));
  auto options = options_of(2);
  options.mode = DataMode::memory;
  CHECK_FALSE(is_streamed(options, std::int64_t{1} << 40, 0));
  options.mode = DataMode::streamed;
  CHECK(is_streamed(options, 1, 100));
  options.source = DataSource::synthetic;
  CHECK_FALSE(is_streamed(options, 1, 100));
}

TEST_CASE("each epoch has its own permutation of the blocks") {
  std::set<std::vector<std::int64_t>> orders;
  for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
    auto order = block_order(100, true, 7, epoch);
    CHECK(order == block_order(100, true, 7, epoch));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == counting(100));
  }
  CHECK(orders.size() == 10);
  CHECK(block_order(100, true, 8, 0) != block_order(100, true, 7, 0));
  CHECK(block_order(100, false, 7, 3) == counting(100));
}

TEST_CASE("the order of rows in a window depends on the model, the epoch and the window") {
  std::set<std::vector<std::int64_t>> orders;
  for (const std::uint64_t seed : {1, 2})
    for (const std::int64_t epoch : {0, 1})
      for (const std::int64_t window : {0, 1}) {
        auto rows = counting(50);
        shuffle_window(rows.data(), 50, seed, epoch, window);
        orders.insert(rows);
        std::sort(rows.begin(), rows.end());
        CHECK(rows == counting(50));
      }
  CHECK(orders.size() == 8);
}
