// SPDX-License-Identifier: MIT
#include "core/per_second.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a rate has three digits, or all digits before the point") {
  CHECK(per_second(0.0123456) == "0.0123/s");
  CHECK(per_second(12.345) == "12.3/s");
  CHECK(per_second(999.4) == "999/s");
  CHECK(per_second(1520.4) == "1520/s");
}
