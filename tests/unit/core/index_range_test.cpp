// SPDX-License-Identifier: MIT
#include "core/index_range.hpp"

#include "support/catch.hpp"

using sheaf::IndexRange;
using sheaf::split_evenly;

TEST_CASE("split_evenly covers every index once and in order, with sizes that differ by at most one") {
  for (std::int64_t count : {0, 1, 2, 7, 12, 100}) {
    for (std::int64_t parts : {1, 2, 3, 8}) {
      std::int64_t next = 0;
      for (std::int64_t part = 0; part < parts; ++part) {
        const IndexRange range = split_evenly(count, parts, part);
        CHECK(range.begin == next);
        CHECK(range.count() >= count / parts);
        CHECK(range.count() <= count / parts + 1);
        next = range.end;
      }
      CHECK(next == count);
    }
  }
}

TEST_CASE("split_evenly gives the larger parts first") {
  CHECK(split_evenly(7, 3, 0) == IndexRange{0, 3});
  CHECK(split_evenly(7, 3, 2) == IndexRange{5, 7});
  CHECK(split_evenly(2, 3, 2).empty());
}
