// SPDX-License-Identifier: MIT
#include "search/halving.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "staged_search.hpp"
#include "support/catch.hpp"

using namespace sheaf;
using test::searched;
using test::trial_counts;

namespace {

Study study_of(std::int64_t trials, std::int64_t epochs, std::int64_t factor) {
  Study study = test::staged_study(SearchMethod::halving, trials, epochs);
  study.search.factor = factor;
  return study;
}

using List = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("stages end after whole epochs, the last one with all epochs, and leave at least one trial") {
  CHECK(stage_ends(243, 243, 3, 1) == List{1, 3, 9, 27, 81, 243});
  CHECK(stage_ends(1000, 1000, 10, 1) == List{1, 10, 100, 1000});
  CHECK(stage_ends(27, 100, 3, 1) == List{3, 11, 33, 100});
  CHECK(stage_ends(79, 81, 3, 1) == List{3, 9, 27, 81});
  CHECK(stage_ends(80, 27, 3, 2) == List{3, 9, 27});
  CHECK(stage_ends(5, 2, 3, 1) == List{2});
  CHECK(stage_ends(2, 1000000, 2, 1) == List{500000, 1000000});
}

TEST_CASE("a stage continues the best trials: a part of 1 / factor, rounded up") {
  const auto by_number = [](const Iteration& iteration) { return static_cast<double>(iteration.trial % 17); };
  const Plan plan = searched(study_of(79, 81, 3), by_number);
  CHECK(trial_counts(plan) == List{79, 27, 9, 3});
  CHECK(trial_counts(searched(study_of(243, 243, 3), by_number)) == List{243, 81, 27, 9, 3, 1});
  CHECK(trial_counts(searched(study_of(100, 100, 10), by_number)) == List{100, 10, 1});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    CHECK(plan.stage(stage).from_epoch == (stage == 0 ? 0 : *plan.stage(stage - 1).to_epoch));
    CHECK(plan.stage(stage).to_epoch ==
          (stage == 3 ? std::nullopt : std::optional(List{3, 9, 27}[std::size_t(stage)])));
  }
  // The losses are 0 for trials 0, 17, 34, 51 and 68. Of equal trials, the first ones continue.
  CHECK(plan.stage(3).trials == std::vector<IndexRange>{{0, 1}, {17, 18}, {34, 35}});
}

TEST_CASE("trials are compared by their means over folds and repeats; values that are not finite are worst") {
  Study study = study_of(4, 4, 2);
  study.search.folds = 2;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double losses[4][2] = {{0.1, nan}, {0.5, 0.3}, {0.2, 0.9}, {0.3, 0.4}};
  const Plan plan =
      searched(study, [&](const Iteration& iteration) { return losses[iteration.trial][iteration.fold]; });
  CHECK(plan.stage(1).trials == std::vector<IndexRange>{{1, 2}, {3, 4}});
  CHECK(plan.stage(2).trials == std::vector<IndexRange>{{3, 4}});
  CHECK(plan.stage(2).folds == IndexRange{0, 2});
}

TEST_CASE("trials with diverged iterations do not continue; the search ends when there are no others") {
  for (const std::int64_t good : {0, 2}) {
    Study study = study_of(9, 9, 3);
    study.search.folds = 2;
    Plan plan(study);
    KnownResults known(plan);
    const auto searcher = make_halving(study);
    plan.add(*searcher->next(known));
    for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
      const Iteration iteration = plan.iteration(number);
      const bool diverges = iteration.trial >= good && iteration.fold == iteration.trial % 2;
      known.add(number, {diverges ? IterationStatus::diverged : IterationStatus::finished, 1, 1, 1});
    }
    const auto next = searcher->next(known);
    REQUIRE(next.has_value() == (good > 0));
    if (next) CHECK(next->trials == std::vector<IndexRange>{{0, 2}});
  }
}

TEST_CASE("a trial is certain when it continues whatever the missing results are") {
  Study study = study_of(27, 9, 3);
  study.search.folds = 2;
  study.search.repeats = 2;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Plan plan(study);
    KnownResults known(plan);
    const auto searcher = make_halving(study);
    plan.add(*searcher->next(known));
    CHECK(searcher->certain(known).empty());
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> order(static_cast<std::size_t>(plan.iteration_count()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> losses;
    for (std::size_t i = 0; i < order.size(); ++i) losses.push_back(static_cast<double>(random() % 40));  // with ties
    std::vector<std::vector<IndexRange>> certain;
    std::vector<std::int64_t> left(27, study.search.folds * study.search.repeats), least;
    for (const std::int64_t number : order) {
      const double loss = losses[static_cast<std::size_t>(number)];
      known.add(number, {IterationStatus::failed, loss, loss, loss});  // does not count
      CHECK(searcher->certain(known) == (certain.empty() ? std::vector<IndexRange>() : certain.back()));
      known.add(number, {IterationStatus::finished, loss, loss, loss});
      certain.push_back(searcher->certain(known));
      --left[static_cast<std::size_t>(plan.iteration(number).trial)];
      least.push_back(9 - std::count_if(left.begin(), left.end(), [](std::int64_t count) { return count > 0; }));
    }
    Stage survivors = *searcher->next(known);
    CHECK(certain.back() == survivors.trials);
    for (std::size_t step = 0; step < certain.size(); ++step) {
      Stage early;
      early.trials = certain[step];
      CHECK(early.trial_count() == std::max<std::int64_t>(0, least[step]));
      for (const IndexRange& trials : early.trials)
        for (std::int64_t trial = trials.begin; trial < trials.end; ++trial) CHECK(survivors.has(trial));
    }
  }
}
