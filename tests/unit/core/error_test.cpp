// SPDX-License-Identifier: MIT
#include "core/error.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("require throws its message, and builds it, only if the condition is false") {
  int made = 0;
  const auto message = [&] { return "row " + std::to_string(++made); };
  CHECK_NOTHROW(require(true, message));
  CHECK(made == 0);
  CHECK_THROWS_WITH(require(false, message), "row 1");
  CHECK_THROWS_AS(require(false, message), RunError);
  CHECK_NOTHROW(require(true, "plain"));
  CHECK_THROWS_WITH(require(false, "plain"), "plain");
  CHECK_THROWS_WITH(require(false, std::string("a string")), "a string");
}
