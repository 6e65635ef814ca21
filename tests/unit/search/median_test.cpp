// SPDX-License-Identifier: MIT
#include "search/median.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "staged_search.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using List = std::vector<std::int64_t>;

Study study_of(std::int64_t trials, std::int64_t epochs, std::int64_t interval) {
  Study study = test::staged_study(SearchMethod::median, trials, epochs);
  study.search.interval = interval;
  return study;
}

}  // namespace

TEST_CASE("stages of the median have the same number of epochs, except the first and the last one") {
  CHECK(interval_ends(100, 50, 10, 1) == List{10, 20, 30, 40, 50});
  CHECK(interval_ends(100, 50, 10, 10) == List{10, 20, 30, 40, 50});
  CHECK(interval_ends(100, 50, 10, 15) == List{15, 25, 35, 45, 50});
  CHECK(interval_ends(100, 50, 10, 45) == List{45, 50});
  CHECK(interval_ends(100, 21, 10, 1) == List{10, 20, 21});
  CHECK(interval_ends(100, 10, 10, 1) == List{10});
  CHECK(interval_ends(100, 10, 3, 12) == List{10});
}

TEST_CASE("the last stage of the median begins when one trial is left") {
  CHECK(interval_ends(8, 1000000, 1, 1) == List{1, 2, 3, 1000000});
  CHECK(interval_ends(9, 1000000, 1, 1) == List{1, 2, 3, 4, 1000000});
  CHECK(interval_ends(2, 50, 10, 1) == List{10, 50});
  CHECK(interval_ends(1, 50, 10, 1) == List{50});
  CHECK(interval_ends(1000000, 1000000, 1, 1).size() == 21);
}

TEST_CASE("half of the trials, rounded up") {
  for (const auto& [trials, half] : {std::pair(1, 1), {2, 1}, {3, 2}, {4, 2}, {5, 3}, {1000001, 500001}})
    CHECK(better_half(trials) == half);
}

TEST_CASE("a stage of the median continues the better half of the trials of the one before") {
  const auto by_number = [](const Iteration& iteration) { return static_cast<double>(iteration.trial % 4); };
  const Plan plan = test::searched(study_of(11, 35, 10), by_number);
  CHECK(test::trial_counts(plan) == List{11, 6, 3, 2});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    CHECK(plan.stage(stage).from_epoch == 10 * stage);
    CHECK(plan.stage(stage).to_epoch == (stage == 3 ? std::nullopt : std::optional(10 * (stage + 1))));
  }
  // The losses are 0 for trials 0, 4 and 8, and 1 for trials 1, 5 and 9. Of equal trials, the first ones continue.
  CHECK(plan.stage(1).trials == std::vector<IndexRange>{{0, 2}, {4, 6}, {8, 10}});
  CHECK(plan.stage(2).trials == std::vector<IndexRange>{{0, 1}, {4, 5}, {8, 9}});
  CHECK(plan.stage(3).trials == std::vector<IndexRange>{{0, 1}, {4, 5}});
}

TEST_CASE("the median is that of the means over folds; the warm-up is the first stage") {
  Study study = study_of(4, 20, 2);
  study.search.min_epochs = 7;
  study.search.folds = 2;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double losses[4][2] = {{0.1, nan}, {0.5, 0.3}, {0.2, 0.9}, {0.3, 0.4}};
  const Plan plan =
      test::searched(study, [&](const Iteration& iteration) { return losses[iteration.trial][iteration.fold]; });
  REQUIRE(plan.stage_count() == 3);
  CHECK(plan.stage(0).to_epoch == 7);
  CHECK(plan.stage(1).to_epoch == 9);
  CHECK(plan.stage(1).trials == std::vector<IndexRange>{{1, 2}, {3, 4}});
  CHECK(plan.stage(2).trials == std::vector<IndexRange>{{3, 4}});
  CHECK(plan.stage(2).folds == IndexRange{0, 2});
}
