// SPDX-License-Identifier: MIT
#include "commands/info/finding.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("equal findings of all ranks share a line") {
  const std::vector<Finding> rank = {fine("binding", "2 ranks"), advice("locks", "No locks. Mount it.")};
  CHECK(finding_lines({rank}) == "fine     binding: 2 ranks\nADVICE   locks: No locks. Mount it.\n");
  CHECK(finding_lines({rank, rank, rank}) == finding_lines({rank}));
}

TEST_CASE("other findings have a line with their ranks, in the order of the first ones") {
  const std::vector<std::vector<Finding>> ranks = {{fine("memory", "4 GiB")},
                                                   {fine("memory", "4 GiB")},
                                                   {advice("memory", "Little.")},
                                                   {fine("memory", "4 GiB")},
                                                   {fine("memory", "Little.")}};
  CHECK(finding_lines(ranks) ==
        "fine     memory (ranks 0-1 and 3): 4 GiB\n"
        "ADVICE   memory (rank 2): Little.\n"
        "fine     memory (rank 4): Little.\n");
}
