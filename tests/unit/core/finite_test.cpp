// SPDX-License-Identifier: MIT
#include "core/finite.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the first value that is not finite is found at every place") {
  constexpr float largest = std::numeric_limits<float>::max();
  const std::vector<float> finite(300, -largest);
  CHECK(first_not_finite(finite.data(), 300) == 300);
  CHECK(first_not_finite(finite.data(), 0) == 0);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (std::size_t place = 0; place < finite.size(); ++place) {
      auto values = finite;
      values[place] = bad;
      values.back() = bad;
      CHECK(first_not_finite(values.data(), 300) == static_cast<std::int64_t>(place));
      CHECK(first_not_finite(values.data(), static_cast<std::int64_t>(place)) == static_cast<std::int64_t>(place));
    }
  }
}
