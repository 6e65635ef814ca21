// SPDX-License-Identifier: MIT
#include "commands/train/finish/overtime.hpp"

#include "study/study.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a search that takes notably longer than its time says so") {
  Study study;
  CHECK_FALSE(overtime_text(study, 1e6));  // no limit
  study.search.time = 10;
  CHECK_FALSE(overtime_text(study, 11.4));
  CHECK_THAT(overtime_text(study, 13.7).value_or(""), ContainsSubstring("search.time = 10 s was exceeded by 3.7 s"));
  CHECK_THAT(overtime_text(study, 13.7).value_or(""), !ContainsSubstring("refit"));
  study.run.refit = true;
  CHECK_THAT(overtime_text(study, 13.7).value_or(""), ContainsSubstring(", or the refit, took longer"));
  study.search.time = 1;
  CHECK_FALSE(overtime_text(study, 1.5));
}
