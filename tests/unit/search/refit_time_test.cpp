// SPDX-License-Identifier: MIT
#include "search/refit_time.hpp"

#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

RankingCosts costs(double first) {
  return {first, 0, 0};
}

}  // namespace

TEST_CASE("the refit takes as long as the fits of the best trials") {
  RefitTime two(2);
  CHECK(two.seconds(1, 1, 2) == 0);  // nothing is known
  two.add(costs(0.5), 10);
  CHECK(two.seconds(1, 1, 1) == 10);
  CHECK(two.seconds(1, 1, 1.25) == 12.5);
  two.add(costs(0.3), 4);
  CHECK(two.seconds(1, 1, 1) == 14);
  two.add(costs(0.4), 6);  // replaces the worst one
  CHECK(two.seconds(1, 1, 1) == 10);
  two.add(costs(0.6), 100);
  two.add(costs(std::numeric_limits<double>::infinity()), 1);
  CHECK(two.seconds(1, 1, 1) == 10);
}

TEST_CASE("lanes train the members of a refit side by side") {
  RefitTime three(3);
  three.add(costs(0.1), 8);
  three.add(costs(0.2), 4);
  three.add(costs(0.3), 4);
  CHECK(three.seconds(1, 2, 1) == 8);    // 16 / 2
  CHECK(three.seconds(1, 100, 1) == 8);  // the longest training
  CHECK(three.seconds(4, 100, 1) == 2);
  CHECK(three.seconds(4, 4, 1) == 4);
}

TEST_CASE("without a refit there is no time for it") {
  RefitTime none(0);
  none.add(costs(0.1), 8);
  CHECK(none.seconds(1, 1, 1) == 0);
}
