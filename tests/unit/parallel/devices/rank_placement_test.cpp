// SPDX-License-Identifier: MIT
#include "parallel/devices/rank_placement.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("neighboring ranks with equal placement share a line, and long lists are cut") {
  const RankInfo cpu{"a", "cpu", 4, 4, 1, ""};
  const RankInfo gpu{"a", "cuda:0 H200", 4, 1, 1, "note"};
  CHECK(placement_lines({cpu}) == std::vector<std::string>{"rank 0: cpu on a: 4 lanes, 4 cores bound"});
  CHECK(placement_lines({gpu, cpu, cpu}) ==
        std::vector<std::string>{"rank 0: cuda:0 H200 on a: 1 lane, 4 cores bound (note)",
                                 "ranks 1-2: each cpu on a: 4 lanes, 4 cores bound"});
  RankTable many;
  for (int rank = 0; rank < 10; ++rank) many.add(rank % 2 ? cpu : gpu);
  const auto lines = placement_lines(many, 3);
  CHECK(lines.size() == 4);
  CHECK(lines.back() == "ranks 3-9: see the table /ranks of results.h5");
}

TEST_CASE("a table of ranks returns what was added") {
  RankTable table;
  for (std::int64_t rank = 0; rank < 8; ++rank)
    table.add({rank % 3 ? "a" : "b", "cpu", 4, rank, 1, rank == 5 ? "note" : ""});
  CHECK(table.size() == 8);
  CHECK(table[5].host == "a");
  CHECK(table[5].note == "note");
  CHECK(table[6].host == "b");
  CHECK(table[6].device == "cpu");
  CHECK(table[6].cores == 4);
  CHECK(table[6].lanes == 6);
  CHECK(table[6].note.empty());
  CHECK(table.lane_count() == 28);
  CHECK(table.hosts() == std::vector<std::string>{"b", "a"});
  CHECK(table.are_equal(3, 3));
  CHECK_FALSE(table.are_equal(3, 6));  // other lanes
}
