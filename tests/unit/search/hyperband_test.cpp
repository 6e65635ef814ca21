// SPDX-License-Identifier: MIT
#include "search/hyperband.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "staged_search.hpp"
#include "study/brackets.hpp"
#include "support/catch.hpp"

using namespace sheaf;
using test::searched;
using test::trial_counts;

namespace {

using List = std::vector<std::int64_t>;

// `trials` = 0: one pass.
Study study_of(std::int64_t epochs, std::int64_t factor, std::int64_t trials = 0) {
  Study study = test::staged_study(SearchMethod::hyperband, 1, epochs);
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2"}, Sampling::uniform}};
  study.search.factor = factor;
  study.search.trials = trials;
  return study;
}

double by_number(const Iteration& iteration) {
  return static_cast<double>(iteration.trial);
}

std::int64_t count_of(const std::vector<IndexRange>& ranges, const IndexRange& within) {
  std::int64_t count = 0;
  for (const IndexRange& range : ranges)
    count += std::max<std::int64_t>(0, std::min(range.end, within.end) - std::max(range.begin, within.begin));
  return count;
}

// The trials in each stage of the trials that begin in stage `begun`.
List counts_of_bracket(const Plan& plan, std::int64_t begun) {
  const Stage& first = plan.stage(begun);
  const IndexRange trials{begun == 0 ? 0 : first.first_new_trial.value(), first.trials.back().end};
  List counts;
  for (std::int64_t stage = begun; stage < plan.stage_count(); ++stage)
    counts.push_back(count_of(plan.stage(stage).trials, trials));
  return counts;
}

std::int64_t trained_epochs(const Plan& plan, std::int64_t epochs) {
  std::int64_t sum = 0;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Iteration iteration = plan.iteration(number);
    sum += plan.stage(iteration.stage).epochs_of(iteration.trial, epochs).count();
  }
  return sum;
}

std::vector<IndexRange> new_trials(const std::vector<NewTrials>& rows) {
  std::vector<IndexRange> ranges;
  for (const NewTrials& row : rows) ranges.push_back(row.trials);
  return ranges;
}

}  // namespace

TEST_CASE("a pass of Hyperband has the brackets of Li et al., side by side by the epochs that they have reached") {
  const Plan plan = searched(study_of(81, 3), by_number);
  CHECK(plan.trial_count() == 143);
  CHECK(trial_counts(plan) == List{81, 27 + 34, 9 + 11 + 15, 3 + 3 + 5 + 8, 1 + 1 + 1 + 2 + 5});
  CHECK(counts_of_bracket(plan, 0) == List{81, 27, 9, 3, 1});
  CHECK(counts_of_bracket(plan, 1) == List{34, 11, 3, 1});
  CHECK(counts_of_bracket(plan, 2) == List{15, 5, 1});
  CHECK(counts_of_bracket(plan, 3) == List{8, 2});
  CHECK(counts_of_bracket(plan, 4) == List{5});
  CHECK(trained_epochs(plan, 81) == 1581);
  const List ends = {1, 3, 9, 27, 81};
  for (std::int64_t number = 0; number < 5; ++number) {
    const Stage& stage = plan.stage(number);
    const auto index = static_cast<std::size_t>(number);
    CHECK(stage.from_epoch == (number == 0 ? 0 : ends[index - 1]));
    CHECK(stage.to_epoch == (number == 4 ? std::nullopt : std::optional(ends[index])));
    CHECK(stage.epochs_of(stage.trials.front().begin, 81) == IndexRange{stage.from_epoch, ends[index]});
    CHECK(stage.epochs_of(stage.trials.back().end - 1, 81) == IndexRange{0, ends[index]});
  }
  const Plan small = searched(study_of(27, 3), by_number), large = searched(study_of(243, 3), by_number);
  CHECK(small.trial_count() == 49);
  CHECK(trained_epochs(small, 27) == 357);
  CHECK(large.trial_count() == 415);
  CHECK(trained_epochs(large, 243) == 6831);
}

TEST_CASE("the sizes of the stages of Hyperband are known in advance") {
  for (const auto& [epochs, factor, trials] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{81, 3, 0},
                                               {100, 3, 500},
                                               {64, 2, 70},
                                               {81, 3, 10},
                                               {81, 3, 82}}) {
    INFO(epochs << " epochs, factor " << factor << ", " << trials << " trials");
    const Study study = study_of(epochs, factor, trials);
    const Plan plan = searched(study, by_number);
    const auto sizes = make_hyperband(study)->sizes(plan);
    REQUIRE(static_cast<std::int64_t>(sizes.size()) == plan.stage_count());
    std::int64_t begun = 0;
    for (std::int64_t number = 0; number < plan.stage_count(); ++number) {
      const StageSize& size = sizes[static_cast<std::size_t>(number)];
      const Stage& stage = plan.stage(number);
      CHECK(size.trials() == stage.trial_count());
      CHECK(size.from_epoch == stage.from_epoch);
      CHECK(size.to_epoch == stage.to_epoch);
      CHECK(size.new_trials.begin == begun);
      CHECK(count_of(stage.trials, {begun, plan.trial_count()}) == size.new_trials.count());
      begun = size.new_trials.end;
    }
    CHECK(begun == plan.trial_count());
  }
}

TEST_CASE("the least epochs leave out the brackets that begin below them") {
  Study study = study_of(81, 3);
  study.search.min_epochs = 9;
  const Plan plan = searched(study, by_number);
  CHECK(trial_counts(plan) == List{9, 3 + 5, 1 + 1 + 3});
  CHECK(plan.stage(0).to_epoch == 9);
}

TEST_CASE("other numbers of trials are more passes side by side, or leave out the last trials of a pass") {
  const List sizes = bracket_sizes(3, 3);
  CHECK(sizes == List{9, 5, 3});
  using Ranges = std::vector<IndexRange>;
  CHECK(new_trials(bracket_trials(sizes, 17)) == Ranges{{0, 9}, {9, 14}, {14, 17}});
  CHECK(new_trials(bracket_trials(sizes, 34)) == Ranges{{0, 18}, {18, 28}, {28, 34}});
  CHECK(new_trials(bracket_trials(sizes, 16)) == Ranges{{0, 9}, {9, 14}, {14, 16}});
  CHECK(new_trials(bracket_trials(sizes, 11)) == Ranges{{0, 9}, {9, 11}, {11, 11}});
  CHECK(new_trials(bracket_trials(sizes, 7)) == Ranges{{0, 7}, {7, 7}, {7, 7}});
  CHECK(new_trials(bracket_trials(sizes, 17 + 11)) == Ranges{{0, 18}, {18, 25}, {25, 28}});
  // Each of two passes has its own brackets: the best 3 of 9 continue in each, although one pass is better.
  const Plan twice = searched(study_of(9, 3, 34), by_number);
  CHECK(trial_counts(twice) == List{18, 6 + 10, 2 + 2 + 6});
  CHECK(twice.stage(1).trials == Ranges{{0, 3}, {9, 12}, {18, 28}});
  CHECK(twice.stage(2).trials == Ranges{{0, 1}, {9, 10}, {18, 19}, {23, 24}, {28, 34}});
  // A bracket that was cut still has one trial that is trained to the end.
  CHECK(trial_counts(searched(study_of(9, 3, 11), by_number)) == List{9, 3 + 2, 1 + 1});
  CHECK(trial_counts(searched(study_of(81, 3, 4), by_number)) == List{4, 1, 1, 1, 1});
}

TEST_CASE("trials are compared within their bracket only") {
  const Plan plan = searched(study_of(9, 3), [](const Iteration& iteration) { return -by_number(iteration); });
  CHECK(plan.stage(0).trials == std::vector<IndexRange>{{0, 9}});
  CHECK(plan.stage(1).trials == std::vector<IndexRange>{{6, 14}});  // the best 3 of 9, and 5 new ones
  CHECK(plan.stage(1).first_new_trial == 9);
  CHECK(plan.stage(2).trials == std::vector<IndexRange>{{8, 9}, {13, 17}});
  CHECK(plan.stage(2).first_new_trial == 14);
  const Plan equal = searched(study_of(9, 3), [](const Iteration&) { return 1.0; });
  CHECK(equal.stage(1).trials == std::vector<IndexRange>{{0, 3}, {9, 14}});
  CHECK(equal.stage(2).trials == std::vector<IndexRange>{{0, 1}, {9, 10}, {14, 17}});
}

TEST_CASE("values that are not finite are worst; a bracket whose trials have all diverged ends, and others go on") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Study study = study_of(9, 3);
  const Plan missing = searched(study, [&](const Iteration& iteration) { return iteration.trial < 8 ? nan : 1.0; });
  CHECK(missing.stage(1).trials == std::vector<IndexRange>{{0, 2}, {8, 14}});
  CHECK(missing.stage(2).trials == std::vector<IndexRange>{{8, 10}, {14, 17}});
  for (const std::int64_t good : {0, 2}) {
    Plan plan(study);
    KnownResults known(plan);
    const auto searcher = make_hyperband(study);
    plan.add(*searcher->next(known));
    for (std::int64_t number = 0; number < 9; ++number)
      known.add(number, {number >= good ? IterationStatus::diverged : IterationStatus::finished, 1, 1, 1});
    const auto next = searcher->next(known);
    REQUIRE(next.has_value());
    CHECK(next->trials == (good == 0 ? std::vector<IndexRange>{{9, 14}} : std::vector<IndexRange>{{0, 2}, {9, 14}}));
    CHECK(next->first_new_trial == 9);
    CHECK(next->epochs_of(9, 9) == IndexRange{0, 3});
  }
}

TEST_CASE("a trial is certain when its bracket continues it whatever the missing results are") {
  Study study = study_of(27, 3, 2 * 49);
  study.search.folds = 2;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::mt19937_64 random(seed);
    Plan plan(study);
    KnownResults known(plan);
    const auto searcher = make_hyperband(study);
    for (auto stage = searcher->next(known); stage; stage = searcher->next(known)) {
      plan.add(*stage);
      const IndexRange numbers = plan.iterations_of(stage->number);
      List order(static_cast<std::size_t>(numbers.count()));
      std::iota(order.begin(), order.end(), numbers.begin);
      std::shuffle(order.begin(), order.end(), random);
      std::vector<std::vector<IndexRange>> certain;
      for (const std::int64_t number : order) {
        const auto loss = static_cast<double>(random() % 20);  // with ties
        const auto status = random() % 10 == 0 ? IterationStatus::diverged : IterationStatus::finished;
        known.add(number, {status, loss, loss, loss});
        certain.push_back(searcher->certain(known));
      }
      if (stage->number + 1 == searcher->max_stages()) break;
      const Stage next = *searcher->next(known);
      const std::int64_t begun = plan.begun_trials();
      CHECK(count_of(certain.back(), {0, begun}) == count_of(next.trials, {0, begun}));
      std::int64_t early = 0;
      for (const auto& ranges : certain)
        for (const IndexRange& trials : ranges)
          for (std::int64_t trial = trials.begin; trial < trials.end; ++trial, ++early) CHECK(next.has(trial));
      CHECK(early > count_of(certain.back(), {0, begun}));
    }
  }
}
