// SPDX-License-Identifier: MIT
#include "commands/train/prepare/study_cost.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("lanes of two kinds share the iterations by their speeds") {
  CHECK(expected_seconds({0, 4, 0, 2}, 100) == 50);
  CHECK(expected_seconds({2, 0, 0.5, 0}, 100) == 25);
  CHECK(expected_seconds({1, 2, 1, 4}, 30) == 20);  // 1 + 2 / 4 per second
}

TEST_CASE("with few iterations, only the fastest lanes train") {
  CHECK(expected_seconds({0, 4, 0, 2}, 1) == 2);
  CHECK(expected_seconds({0, 4, 0, 2}, 3) == 2);
  CHECK(expected_seconds({1, 4, 0.5, 2}, 1) == 0.5);
  CHECK(expected_seconds({1, 4, 8, 2}, 1) == 2);
}

TEST_CASE("without an engine or an iteration there is no time") {
  CHECK(expected_seconds({0, 4, 0, 0}, 10) == 0);
  CHECK(expected_seconds({0, 4, 0, 2}, 0) == 0);
}
