// SPDX-License-Identifier: MIT
#include "commands/train/training/remaining_work.hpp"

#include <random>

#include "support/catch.hpp"

using namespace sheaf;
using Ranges = std::vector<IndexRange>;

TEST_CASE("positions map to the remaining iterations") {
  const RemainingIterations whole({{0, 10}});
  CHECK(whole.count() == 10);
  CHECK(whole.iterations_at_positions({3, 7}) == Ranges{{3, 7}});
  const RemainingIterations rest({{2, 5}, {7, 8}, {10, 14}});
  CHECK(rest.count() == 8);
  CHECK(rest.iterations_at_positions({0, 8}) == Ranges{{2, 5}, {7, 8}, {10, 14}});
  CHECK(rest.iterations_at_positions({1, 3}) == Ranges{{3, 5}});
  CHECK(rest.iterations_at_positions({3, 4}) == Ranges{{7, 8}});
  CHECK(rest.iterations_at_positions({2, 6}) == Ranges{{4, 5}, {7, 8}, {10, 12}});
  CHECK(RemainingIterations().count() == 0);
}

TEST_CASE("positions map to the remaining iterations of an array task") {
  const RemainingIterations rest({{0, 2}, {4, 6}}, {1, 10});
  CHECK(rest.count() == 4);
  CHECK(rest.iterations_at_positions({0, 4}) == Ranges{{1, 2}, {11, 12}, {41, 42}, {51, 52}});
  CHECK(rest.iterations_at_positions({1, 3}) == Ranges{{11, 12}, {41, 42}});
  CHECK(rest.iterations_at_positions({2, 2}).empty());
}

TEST_CASE("any division of the positions gives each iteration once and in order") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Ranges ranges;
    std::vector<std::int64_t> expected, found;
    for (std::int64_t begin = random() % 3; ranges.size() < 20; begin += 1 + random() % 3) {
      const std::int64_t end = begin + 1 + random() % 5;
      ranges.push_back({begin, end});
      for (; begin < end; ++begin) expected.push_back(begin);
    }
    const RemainingIterations work(ranges);
    for (std::int64_t position = 0; position < work.count();) {
      const std::int64_t end = std::min<std::int64_t>(work.count(), position + 1 + random() % 9);
      for (const auto& range : work.iterations_at_positions({position, end}))
        for (std::int64_t number = range.begin; number < range.end; ++number) found.push_back(number);
      position = end;
    }
    CHECK(found == expected);
  }
}
