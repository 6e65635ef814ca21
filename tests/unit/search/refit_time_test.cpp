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
  RefitTime time;
  CHECK(time.seconds(2, 1, 1, 2) == 0);  // nothing is known
  time.add(costs(0.5), 10);
  CHECK(time.seconds(2, 1, 1, 1) == 10);
  CHECK(time.seconds(2, 1, 1, 1.25) == 12.5);
  time.add(costs(0.3), 4);
  CHECK(time.seconds(2, 1, 1, 1) == 14);
  time.add(costs(0.4), 6);  // comes before the worst one
  CHECK(time.seconds(2, 1, 1, 1) == 10);
  CHECK(time.seconds(1, 1, 1, 1) == 4);
  time.add(costs(0.6), 100);
  time.add(costs(std::numeric_limits<double>::infinity()), 1);
  CHECK(time.seconds(2, 1, 1, 1) == 10);
  CHECK(time.seconds(RefitTime::usual_members, 1, 1, 1) == 120);
}

TEST_CASE("lanes train the members of a refit side by side") {
  RefitTime time;
  time.add(costs(0.1), 8);
  time.add(costs(0.2), 4);
  time.add(costs(0.3), 4);
  CHECK(time.seconds(3, 1, 2, 1) == 8);    // 16 / 2
  CHECK(time.seconds(3, 1, 100, 1) == 8);  // the longest training
  CHECK(time.seconds(3, 4, 100, 1) == 2);
  CHECK(time.seconds(3, 4, 4, 1) == 4);
}

TEST_CASE("trainings that run may be among the best trials") {
  RefitTime time;
  CHECK(time.seconds(20, 1, 2, 1.5, {2, 8, 5}) == 7.5);  // the longest one
  CHECK(time.seconds(20, 1, 1, 1.5, {2, 8, 5}) == 12);
  time.add(costs(0.1), 2);
  time.add(costs(0.2), 3);
  CHECK(time.seconds(20, 1, 1, 1, {2, 8, 5}) == 13);
  CHECK(time.seconds(3, 1, 1, 1, {2, 8, 5}) == 10);  // with the best trial
  CHECK(time.seconds(1, 1, 1, 1, {2, 8, 4}) == 4);   // their mean, at least the longest one
  CHECK(time.seconds(1, 1, 1, 1, {2, 1, 1}) == 2);   // the best trial remains the best
}

TEST_CASE("only the best trials of a long search are stored") {
  RefitTime time;
  for (int trial = 100; trial > 0; --trial) time.add(costs(trial), 1);
  CHECK(time.seconds(1000, 1, 1, 1) == RefitTime::usual_members);
}
