// SPDX-License-Identifier: MIT
#include "study/brackets.hpp"

#include <numeric>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using List = std::vector<std::int64_t>;

std::int64_t pass_of(std::int64_t epochs, std::int64_t factor, std::int64_t min_epochs) {
  const List sizes = bracket_sizes(static_cast<std::int64_t>(rung_epochs(epochs, factor, min_epochs).size()), factor);
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("rungs are the epochs divided by powers of the factor, rounded down, as long as they reach the least ones") {
  CHECK(rung_epochs(81, 3, 1) == List{1, 3, 9, 27, 81});
  CHECK(rung_epochs(81, 3, 3) == List{3, 9, 27, 81});
  CHECK(rung_epochs(81, 3, 4) == List{9, 27, 81});
  CHECK(rung_epochs(100, 3, 1) == List{1, 3, 11, 33, 100});
  CHECK(rung_epochs(1000, 10, 2) == List{10, 100, 1000});
  CHECK(rung_epochs(2, 3, 1) == List{2});
  CHECK(rung_epochs(5, 2, 9) == List{5});
}

TEST_CASE("brackets have the sizes of the table of Li et al., with rounding up") {
  CHECK(bracket_sizes(5, 3) == List{81, 34, 15, 8, 5});
  CHECK(bracket_sizes(4, 3) == List{27, 12, 6, 4});
  CHECK(bracket_sizes(1, 3) == List{1});
  CHECK(bracket_sizes(4, 2) == List{8, 6, 4, 4});
  CHECK(bracket_sizes(2, 1000) == List{1000, 2});
  CHECK(pass_of(81, 3, 1) == 143);
  CHECK(pass_of(27, 3, 1) == 49);
  CHECK(pass_of(243, 3, 1) == 415);
  CHECK(pass_of(1000000, 1000, 1) == 1000000 + 1500 + 3);
}
