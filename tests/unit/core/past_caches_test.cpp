// SPDX-License-Identifier: MIT
#include "core/past_caches.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("copy_past_caches copies exactly the given bytes, for any alignment of source and target") {
  std::vector<std::byte> from(700);
  for (std::size_t index = 0; index < from.size(); ++index) from[index] = static_cast<std::byte>(index * 7 % 251);
  for (const std::size_t bytes : {0, 1, 15, 63, 64, 65, 127, 128, 200, 512})
    for (const std::size_t first : {0, 1, 16, 63})
      for (std::size_t to = 0; to < 130; ++to) {
        std::vector<std::byte> copied(700, std::byte{255}), expected = copied;
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(to));
        copy_past_caches(from.data() + first, bytes, copied.data() + to);
        REQUIRE(copied == expected);
      }
}
