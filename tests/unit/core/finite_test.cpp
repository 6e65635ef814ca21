// SPDX-License-Identifier: MIT
#include "core/finite.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEMPLATE_TEST_CASE("first_not_finite finds the first value that is not finite at any index", "", float, double) {
  using Limits = std::numeric_limits<TestType>;
  const std::vector<TestType> finite(300, -Limits::max());
  CHECK(first_not_finite(finite.data(), 300) == 300);
  CHECK(first_not_finite(finite.data(), 0) == 0);
  for (const TestType bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (std::size_t index = 0; index < finite.size(); ++index) {
      auto values = finite;
      values[index] = bad;
      values.back() = bad;
      CHECK(first_not_finite(values.data(), 300) == static_cast<std::int64_t>(index));
      CHECK(first_not_finite(values.data(), static_cast<std::int64_t>(index)) == static_cast<std::int64_t>(index));
    }
  }
}
