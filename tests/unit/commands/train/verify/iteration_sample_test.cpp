// SPDX-License-Identifier: MIT
#include "commands/train/verify/iteration_sample.hpp"

#include <numeric>

#include "support/catch.hpp"

namespace sheaf {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST_CASE("a sample has one number from each equal part of the range") {
  for (const std::int64_t total : {10, 11, 19, 1000, 12345})
    for (const std::int64_t count : {1, 2, 7, 10}) {
      const Numbers sample = spread_sample(total, count, 3);
      REQUIRE(sample.size() == static_cast<std::size_t>(count));
      std::int64_t begin = 0;
      for (std::int64_t part = 0; part < count; ++part) {
        const std::int64_t end = begin + total / count + (part < total % count ? 1 : 0);
        const std::int64_t drawn = sample[static_cast<std::size_t>(part)];
        CHECK((drawn >= begin && drawn < end));
        begin = end;
      }
      CHECK(begin == total);
    }
}

TEST_CASE("a sample of all numbers or more has each once") {
  Numbers all(7);
  std::iota(all.begin(), all.end(), 0);
  for (const std::int64_t count : {7, 8, 1000}) CHECK(spread_sample(7, count, 1) == all);
  CHECK(spread_sample(0, 10, 1).empty());
}

TEST_CASE("the sample follows from its seed") {
  CHECK(spread_sample(1000000, 10, 1) == spread_sample(1000000, 10, 1));
  CHECK(spread_sample(1000000, 10, 1) != spread_sample(1000000, 10, 2));
  CHECK(spread_sample(std::int64_t{1} << 32, 1, 5).front() < std::int64_t{1} << 32);
}

}  // namespace
}  // namespace sheaf
