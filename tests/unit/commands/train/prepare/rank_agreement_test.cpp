// SPDX-License-Identifier: MIT
#include "commands/train/prepare/rank_agreement.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the message names the rank that differs from the majority, or rank 1 of two") {
  CHECK(odd_rank_problem("program", {"a", "a", "a"}, "Advice.").empty());
  CHECK(odd_rank_problem("program", {"a"}, "Advice.").empty());
  CHECK(odd_rank_problem("program", {"a", "a", "b", "a"}, "Advice.") ==
        "rank 2 of 4 has a different program (b; 3 other ranks: a). Advice.");
  CHECK(odd_rank_problem("study", {"z", "a", "a"}, "Advice.") ==
        "rank 0 of 3 has a different study (z; 2 other ranks: a). Advice.");
  CHECK(odd_rank_problem("study", {"z", "a"}, "Advice.") ==
        "rank 1 of 2 has a different study (a; 1 other rank: z). Advice.");
}
