// SPDX-License-Identifier: MIT
#include "dataset/chunk_plan.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("readers read each row once, chunks whole, shares even, all as often") {
  for (const std::int64_t rows : {0, 1, 7, 64, 1000}) {
    for (const std::int64_t chunk_rows : {1, 3, 64, 5000}) {
      for (const std::int64_t readers : {1, 2, 3, 16}) {
        for (const std::int64_t block_bytes : {1, 100, 100000}) {
          const ReadShape shape{rows, chunk_rows, 4};
          const std::size_t reads = plan_reads(shape, readers, 0, block_bytes).size();
          std::int64_t next = 0, least = rows, most = 0;
          bool aligned = true, within_limit = true, as_often = true, in_order = true;
          for (std::int64_t reader = 0; reader < readers; ++reader) {
            const auto blocks = plan_reads(shape, readers, reader, block_bytes);
            as_often &= blocks.size() == reads;
            std::int64_t share = 0;
            for (const IndexRange block : blocks) {
              if (block.empty()) continue;
              in_order &= block.begin == next;
              next = block.end;
              aligned &= block.begin % chunk_rows == 0;
              within_limit &= block.count() <= chunk_rows || block.count() * 4 <= block_bytes;
              share += (block.count() + chunk_rows - 1) / chunk_rows;
            }
            least = std::min(least, share);
            most = std::max(most, share);
          }
          CAPTURE(rows, chunk_rows, readers, block_bytes);
          CHECK(in_order);
          CHECK(next == rows);
          CHECK(aligned);
          CHECK(within_limit);
          CHECK(as_often);
          CHECK((rows == 0 || most - least <= 1));
        }
      }
    }
  }
}

TEST_CASE("blocks are as large as the limit allows") {
  CHECK(plan_reads({100, 10, 4}, 1, 0, 1000) == std::vector<IndexRange>{{0, 100}});
  CHECK(plan_reads({100, 10, 4}, 1, 0, 239) == std::vector<IndexRange>{{0, 50}, {50, 100}});
  CHECK(plan_reads({95, 10, 4}, 2, 1, 120) == std::vector<IndexRange>{{50, 80}, {80, 95}});
}
