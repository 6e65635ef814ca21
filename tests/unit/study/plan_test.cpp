// SPDX-License-Identifier: MIT
#include "study/plan.hpp"

#include <set>
#include <tuple>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

Study searched_study() {
  Study study;
  study.study.seed = 7;
  study.study.iterations = 2;
  study.search.method = SearchMethod::grid;
  study.search.folds = 3;
  study.search.repeats = 2;
  study.ensemble.members = 4;
  study.data.normalize = Normalize::none;
  study.model.kind = ModelKind::mlp;
  study.search.keys = {{"model.hidden", {"16", "64 32"}}, {"train.learning_rate", {"0.1", "0.01", "0.001"}}};
  return study;
}

}  // namespace

TEST_CASE("a study without a search has one trial, and its iterations are repeats") {
  Study study;
  study.study.iterations = 10;
  const Plan plan = test::whole_plan(study);
  CHECK(plan.iteration_count() == 10);
  CHECK(plan.trial_count() == 1);
  CHECK(plan.iteration(9).repeat == 9);
  CHECK(plan.iteration(9).trial == 0);
}

TEST_CASE("iterations are ordered by trial, then repeat, fold and member") {
  const Plan plan = test::whole_plan(searched_study());
  CHECK(plan.trial_count() == 6);
  CHECK(plan.repeats() == 4);
  CHECK(plan.iteration_count() == 6 * 4 * 3 * 4);
  std::set<std::uint64_t> seeds;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Iteration iteration = plan.iteration(number);
    CHECK(plan.number_of(iteration) == number);
    seeds.insert(iteration.seed);
  }
  CHECK(seeds.size() == static_cast<std::size_t>(plan.iteration_count()));
  CHECK(plan.iteration(1).member == 1);
  CHECK(plan.iteration(4).fold == 1);
  CHECK(plan.iteration(12).repeat == 1);
  CHECK(plan.iteration(48).trial == 1);
}

TEST_CASE("the trials are all combinations, with the last key varying fastest") {
  const Plan plan = test::whole_plan(searched_study());
  CHECK(plan.searched_keys() == std::vector<std::string>{"model.hidden", "train.learning_rate"});
  CHECK(plan.trial(0).values == std::vector<std::string>{"16", "0.1"});
  CHECK(plan.trial(1).values == std::vector<std::string>{"16", "0.01"});
  CHECK(plan.trial(5).values == std::vector<std::string>{"64 32", "0.001"});
  CHECK(plan.trial(5).model.hidden == std::vector<std::int64_t>{64, 32});
  CHECK(plan.trial(5).train.learning_rate == 0.001);
}

TEST_CASE("iterations are numbered consecutively through all stages, and their keys are distinct") {
  Plan plan(searched_study());
  CHECK(plan.iteration_count() == 0);
  plan.add({0, {{0, 6}}, {0, 1}, {0, 1}, 2, 0, 2});
  plan.add({1, {{1, 2}, {3, 5}}, {0, 2}, {0, 3}, 1, 2, std::nullopt});
  CHECK(plan.stage_count() == 2);
  CHECK(plan.iterations_of(0) == IndexRange{0, 12});
  CHECK(plan.iterations_of(1) == IndexRange{12, 12 + 3 * 2 * 3});
  CHECK(plan.iteration_count() == 30);
  const Plan whole = test::whole_plan(searched_study());
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> keys;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Iteration iteration = plan.iteration(number);
    CHECK(iteration.number == number);
    CHECK(plan.number_of(iteration) == number);
    IterationKey key = iteration;
    key.stage = 0;
    CHECK(iteration.seed == whole.iteration(whole.number_of(key)).seed);
    const bool is_continued = plan.stage(1).has(iteration.trial) && iteration.member == 0;
    CHECK(plan.last_iteration_of(training_of(iteration)).has_value() == is_continued);
    if (iteration.stage == 1) CHECK(plan.last_iteration_of(training_of(iteration)) == number);
    keys.emplace(iteration.stage, iteration.trial, iteration.repeat, iteration.fold, iteration.member);
  }
  CHECK(keys.size() == 30);
  CHECK(plan.iteration(11).member == 1);
  CHECK(plan.iteration(11).trial == 5);
  CHECK(plan.iteration(12).trial == 1);
  CHECK(plan.iteration(18).trial == 3);
  CHECK(plan.iteration(29).trial == 4);
  CHECK(plan.iteration(29).fold == 2);
  CHECK(plan.iteration(29).repeat == 1);
}

TEST_CASE("a stage can have some of the folds, whose iterations are those of the whole study") {
  Study study = searched_study();
  study.search.folds = 5;
  Plan plan(study);
  plan.add({0, {{0, 6}}, {0, 2}, {0, 2}, 2, 0, std::nullopt});
  plan.add({1, {{1, 3}}, {0, 2}, {2, 5}, 2, 0, std::nullopt});
  CHECK(plan.iterations_of(1) == IndexRange{48, 48 + 2 * 2 * 3 * 2});
  const Plan whole = test::whole_plan(study);
  std::set<std::int64_t> folds;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Iteration iteration = plan.iteration(number);
    CHECK(plan.number_of(iteration) == number);
    CHECK(plan.stage(iteration.stage).folds.has(iteration.fold));
    const IndexRange of_trial = plan.iterations_of_trial(iteration.stage, iteration.trial);
    CHECK((of_trial.has(number) && of_trial.count() == plan.stage(iteration.stage).per_trial()));
    IterationKey key = training_of(iteration);
    CHECK(iteration.seed == whole.iteration(whole.number_of(key)).seed);
    CHECK(plan.last_iteration_of(key).has_value() == (iteration.stage == 1));
    if (iteration.stage == 1) folds.insert(iteration.fold);
  }
  CHECK(folds == std::set<std::int64_t>{2, 3, 4});
}

TEST_CASE("seeds do not depend on the numbers of trials, repeats, folds and members, and differ") {
  Study study = searched_study();
  study.ensemble.members = 3;
  const Plan small = test::whole_plan(study);
  study.study.iterations += 2;
  study.search.folds += 3;
  study.ensemble.members += 1;
  study.search.keys[0].candidates.push_back("5");
  const Plan large = test::whole_plan(study);
  std::set<std::uint64_t> seeds;
  for (std::int64_t number = 0; number < small.iteration_count(); ++number) {
    const Iteration iteration = small.iteration(number);
    CHECK(large.iteration(large.number_of(iteration)).seed == iteration.seed);
  }
  for (std::int64_t number = 0; number < large.iteration_count(); ++number) seeds.insert(large.iteration(number).seed);
  CHECK(static_cast<std::int64_t>(seeds.size()) == large.iteration_count());
}

TEST_CASE("stages sent to other ranks are unchanged") {
  const std::vector<Stage> stages = {{0, {{0, 6}}, {0, 1}, {0, 2}, 3, 0, 7},
                                     {1, {{1, 2}, {3, 5}}, {0, 4}, {2, 7}, 6, 7, std::nullopt},
                                     {2, {{1, 2}, {5, 9}}, {0, 4}, {2, 7}, 6, 7, 9, 5}};
  CHECK(unpacked_stages(packed(stages)) == stages);
  CHECK(unpacked_stages(packed({})).empty());
  CHECK(stages[1].trial_count() == 3);
  CHECK(stages[1].iteration_count() == 3 * 4 * 5 * 6);
}

TEST_CASE("the epochs of a stage are those after the ones that a trial has completed") {
  Stage stage;
  stage.trials = {{1, 2}, {4, 8}};
  stage.from_epoch = 3;
  stage.to_epoch = 9;
  CHECK(stage.epochs_of(1, 20) == IndexRange{3, 9});
  CHECK(stage.epochs_of(7, 20) == IndexRange{3, 9});
  CHECK(stage.epochs_of(7, 6) == IndexRange{3, 6});
  stage.first_new_trial = 6;
  CHECK(stage.epochs_of(5, 20) == IndexRange{3, 9});
  CHECK(stage.epochs_of(6, 20) == IndexRange{0, 9});
  CHECK(stage.epochs_of(7, 6) == IndexRange{0, 6});
  Stage other = stage;
  CHECK(other == stage);
  other.first_new_trial = 7;
  CHECK_FALSE(other == stage);
  stage.append({8, 10});
  stage.append({10, 10});
  stage.append({12, 13});
  CHECK(stage.trials == std::vector<IndexRange>{{1, 2}, {4, 10}, {12, 13}});
}

TEST_CASE("each network is visited once, with its first trial") {
  Study study = searched_study();
  study.search.keys.push_back({"train.precision", {"float32", "float64"}});
  const Plan plan = test::whole_plan(study);
  std::vector<std::vector<std::string>> visited, first;
  plan.for_each_network([&](const Trial& trial) { visited.push_back(trial.values); });
  for (const std::int64_t number : {0, 1, 6, 7}) first.push_back(plan.trial(number).values);
  CHECK(visited == first);
  CHECK(plan.have_same_network(11, 7));
  CHECK(plan.have_same_network(4, 0));
  CHECK_FALSE(plan.have_same_network(4, 1));
  CHECK_FALSE(plan.have_same_network(4, 6));
}

TEST_CASE("more iterations than can be numbered are refused") {
  Study study = searched_study();
  study.study.iterations = 1'000'000'000;
  CHECK_THROWS_AS(test::whole_plan(study), UsageError);
  study = searched_study();
  Plan plan(study);
  const Stage whole = whole_stage(plan);
  plan.add(whole);
  Stage again = whole;
  again.number = 1;
  plan.add(again);
  CHECK(plan.iteration_count() == 2 * whole.iteration_count());
  study.study.iterations = 30'000'000;
  Plan large(study);
  large.add({0, {{0, 6}}, {0, 60'000'000}, {0, 3}, 2, 0, std::nullopt});
  CHECK_THROWS_AS(large.add({1, {{0, 6}}, {0, 60'000'000}, {0, 3}, 2, 0, std::nullopt}), UsageError);
  study.study.iterations = std::int64_t{1} << 62;
  CHECK_THROWS_AS(test::whole_plan(study), UsageError);
}

TEST_CASE("a refit is a stage after the search with the fold after the last one, and new keys and seeds") {
  Plan plan = test::whole_plan(searched_study());
  CHECK_FALSE(plan.wants_refit());
  const std::int64_t before = plan.iteration_count();
  CHECK(plan.refit_iterations() == IndexRange{before, before});
  const std::vector<Refit> refits = {{1, 7, 20, {}}, {4, 3, 25, {0, 2}}};
  plan.add(refit_stage(plan, refits));
  CHECK(plan.has_refit());
  CHECK(plan.stage_count() == 2);
  CHECK(plan.search_stages() == 1);
  CHECK(plan.search_iterations() == IndexRange{0, before});
  CHECK(plan.refit_iterations() == IndexRange{before, before + 2 * 4});  // four members each
  CHECK(plan.trial_count() == 6);
  std::set<std::uint64_t> seeds;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) seeds.insert(plan.iteration(number).seed);
  CHECK(seeds.size() == static_cast<std::size_t>(plan.iteration_count()));
  const Iteration last = plan.iteration(plan.iteration_count() - 1);
  CHECK(last.trial == 4);
  CHECK(last.repeat == 0);
  CHECK(last.fold == 3);
  CHECK(last.member == 3);
  CHECK(plan.number_of(last) == last.number);
  CHECK(plan.last_iteration_of(training_of(last)) == last.number);
  CHECK_FALSE(plan.last_iteration_of({0, 4, 0, 2, 3}).has_value());  // of the search
  CHECK(plan.stage(1).refit_of(4) == refits[1]);
  CHECK_FALSE(plan.stage(1).refit_of(2).has_value());
  CHECK_FALSE(plan.stage(0).refit_of(1).has_value());
  const std::vector<Stage> stages = {plan.stage(0), plan.stage(1)};
  CHECK(unpacked_stages(packed(stages)) == stages);
}

TEST_CASE("added repeats are a stage whose iterations are those of a study with all repeats") {
  const Study study = searched_study();
  const Plan whole = test::whole_plan(study);
  Plan plan(study);
  for (const IndexRange& repeats : {IndexRange{0, 1}, {1, 3}, {3, 4}}) {
    Stage stage = whole_stage(plan);
    stage.number = plan.stage_count();
    stage.repeats = repeats;
    plan.add(stage);
  }
  CHECK(plan.iteration_count() == whole.iteration_count());
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> keys;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Iteration iteration = plan.iteration(number);
    CHECK(plan.number_of(iteration) == number);
    CHECK(plan.stage(iteration.stage).repeats.has(iteration.repeat));
    IterationKey key = iteration;
    key.stage = 0;
    CHECK(whole.iteration(whole.number_of(key)).seed == iteration.seed);
    keys.insert({iteration.trial, iteration.repeat, iteration.fold, iteration.member});
  }
  CHECK(keys.size() == static_cast<std::size_t>(plan.iteration_count()));
  CHECK(plan.fits_of_trial(0, 5) == std::vector<IndexRange>{{60, 72}});
  CHECK(plan.fits_of_trial(2, 5) == std::vector<IndexRange>{{60, 72}, {72 + 5 * 24, 72 + 6 * 24}, {216 + 60, 288}});
  CHECK(plan.last_iteration_of({0, 5, 3, 0, 0}) == 276);
  CHECK_FALSE(plan.last_iteration_of({0, 5, 2, 0, 0}));
}
