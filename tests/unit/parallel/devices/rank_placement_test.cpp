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
  std::vector<RankInfo> many;
  for (int rank = 0; rank < 10; ++rank) many.push_back(rank % 2 ? cpu : gpu);
  const auto lines = placement_lines(many, 3);
  CHECK(lines.size() == 4);
  CHECK(lines.back() == "ranks 3-9: see the table /ranks of results.h5");
}
