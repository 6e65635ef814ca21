// SPDX-License-Identifier: MIT
#include "commands/report/held_out_reader.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the predictions of an ensemble are the means of its members") {
  std::vector<double> predictions = {1, 2, 3, 4, 3, 6, 5, 0, 5, 1, 1, 2};  // 3 members, 2 rows, 2 outputs
  average_members(predictions, 3);
  CHECK(predictions == std::vector<double>{3, 3, 3, 2});
  average_members(predictions, 1);
  CHECK(predictions == std::vector<double>{3, 3, 3, 2});
}
