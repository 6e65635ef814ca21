// SPDX-License-Identifier: MIT
#include "core/problem_list.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("problems can be listed in one message, even if they contain line ends") {
  const std::vector<std::string> problems = {"the first", "the second,\nwith a line end"};
  CHECK(problems_of(problem_list(problems)) == problems);
  CHECK(problems_of("one problem") == std::vector<std::string>{"one problem"});
  CHECK(problems_of(problem_list({})).empty());
}
