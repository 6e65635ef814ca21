// SPDX-License-Identifier: MIT
#include "runs/search_stages.hpp"

#include "core/error.hpp"
#include "search/hyperband.hpp"
#include "search/single_stage.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/two_stage_search.hpp"

using namespace sheaf;

namespace {

Study study_of_four() {
  Study study = test::plain_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3", "0.4"}}};
  return study;
}

TrainedIteration trained(std::int64_t number, double loss, IterationStatus status = IterationStatus::finished) {
  TrainedIteration iteration;
  iteration.result.iteration = number;
  iteration.result.status = status;
  iteration.result.final_loss = loss;
  return iteration;
}

// Adds the results of stage 0. The losses decrease from trial to trial, except for the last one.
void add_stage_0(ResultStore& results) {
  const double losses[] = {4, 4, 3, 3, 2, 2, 9, 9};
  for (std::int64_t number = 0; number < 8; ++number) results.append(trained(number, losses[number]), {}, 0);
}

}  // namespace

TEST_CASE("stages are named from stored results up to the first incomplete stage") {
  const test::TwoStageSearch searcher;
  Plan plan(study_of_four());
  SearchStages stages(searcher, plan);
  REQUIRE(stages.choose_next());
  CHECK(stages.last_stage_text() == " of stage 0");
  CHECK(stages.position_text() == "stage 0 of 0..1");
  CHECK(stages.later_iterations() == 4);  // of two trials with two folds
  Replay journals;
  ResultStore& results = journals.iterations;
  results.append(trained(0, 4), {}, 0);
  results.settle();
  CHECK_FALSE(stages.catch_up(journals));
  CHECK(plan.stage_count() == 1);
  add_stage_0(results);
  results.settle();
  CHECK_FALSE(stages.catch_up(journals));
  REQUIRE(plan.stage_count() == 2);
  CHECK(plan.stage(1) == Stage{1, {{1, 3}}, {0, 1}, {0, 2}, 1, 2, std::nullopt});
  CHECK(stages.last_stage_text() == " of stage 1");
  CHECK(stages.position_text() == "stage 1 of 0..1");
  CHECK(stages.later_iterations() == 0);
  for (std::int64_t number = 8; number < 12; ++number) results.append(trained(number, 1), {}, 0);
  results.settle();
  CHECK(stages.catch_up(journals));
  CHECK(plan.stage_count() == 2);
}

TEST_CASE("a failed iteration delays the next stage until another attempt has trained it") {
  const test::TwoStageSearch searcher;
  Plan plan(study_of_four());
  SearchStages stages(searcher, plan);
  stages.choose_next();
  Replay journals;
  ResultStore& results = journals.iterations;
  results.append(trained(5, 2, IterationStatus::failed), {}, 0);
  for (const std::int64_t number : {0, 1, 2, 3, 4, 6, 7}) results.append(trained(number, 1), {}, 0);
  results.settle();
  CHECK_FALSE(stages.catch_up(journals));
  CHECK(plan.stage_count() == 1);
  results.append(trained(5, 2, IterationStatus::diverged), {}, 1);
  results.settle();
  CHECK_FALSE(stages.catch_up(journals));
  CHECK(plan.stage_count() == 2);
}

TEST_CASE("possible stages have the trials that may continue next, and all that begin later") {
  const test::TwoStageSearch two_stages;
  Plan plan(study_of_four());
  SearchStages stages(two_stages, plan);
  stages.choose_next();
  CHECK(stages.possible_stages() == std::vector<Stage>{{1, {{0, 4}}, {0, 1}, {0, 2}, 1, 2, std::nullopt}});
  Replay journals;
  ResultStore& results = journals.iterations;
  add_stage_0(results);
  results.settle();
  stages.catch_up(journals);
  CHECK(stages.possible_stages().empty());

  Study study = study_of_four();  // brackets of 9, 5 and 3 trials
  study.data.task = Task::classification;
  study.search.method = SearchMethod::hyperband;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.4"}, Sampling::uniform}};
  study.train.epochs = 9;
  const auto hyperband = make_hyperband(study);
  Plan pass(study);
  SearchStages brackets(*hyperband, pass);
  brackets.choose_next();
  CHECK(brackets.possible_stages() == std::vector<Stage>{{1, {{0, 14}}, {0, 1}, {0, 2}, 1, 1, 3, 9},
                                                         {2, {{14, 17}}, {0, 1}, {0, 2}, 1, 3, std::nullopt, 14}});
  study.search.trials = 11;  // the last bracket is left out
  const auto fewer = make_hyperband(study);
  Plan cut(study);
  SearchStages of_eleven(*fewer, cut);
  of_eleven.choose_next();
  CHECK(of_eleven.possible_stages() == std::vector<Stage>{{1, {{0, 11}}, {0, 1}, {0, 2}, 1, 1, 3, 9}});
}

TEST_CASE("lanes get the iterations of trials that begin in a stage first") {
  Plan plan(study_of_four());
  plan.add({0, {{0, 3}}, {0, 1}, {0, 2}, 1, 0, 1});
  CHECK(longest_first(plan) == std::vector<IndexRange>{{0, 6}});
  plan.add({1, {{0, 1}, {2, 4}}, {0, 1}, {0, 2}, 1, 1, 3, 3});
  CHECK(longest_first(plan) == std::vector<IndexRange>{{10, 12}, {6, 10}});
  plan.add({2, {{0, 1}}, {0, 1}, {0, 2}, 1, 3, std::nullopt, 4});  // the new trials of the stage do not exist
  CHECK(longest_first(plan) == std::vector<IndexRange>{{12, 14}});
}

TEST_CASE("a grid is complete after its only stage and has no stage text") {
  const Study study = study_of_four();
  const auto grid = make_single_stage(study);
  Plan plan(study);
  SearchStages stages(*grid, plan);
  REQUIRE(stages.choose_next());
  CHECK_FALSE(stages.more_may_come());
  CHECK(stages.last_stage_text().empty());
  CHECK(stages.position_text().empty());
  CHECK(stages.later_iterations() == 0);
  Replay journals;
  ResultStore& results = journals.iterations;
  CHECK_FALSE(stages.catch_up(journals));
  add_stage_0(results);
  results.settle();
  CHECK(stages.catch_up(journals));
}

TEST_CASE("a recorded stage that differs is refused; unrecorded and later stages are accepted") {
  Plan plan(study_of_four());
  plan.add(whole_stage(plan));
  const RecordedStage recorded{plan.stage(0), 0}, later{{1, {{0, 1}}, {0, 1}, {0, 1}, 1, 2, 6}, 8};
  CHECK_NOTHROW(require_recorded_stages(plan, {}, "runs/x"));
  CHECK_NOTHROW(require_recorded_stages(plan, {recorded, later}, "runs/x"));
  RecordedStage fewer = recorded, more = recorded;  // from before the number of trials was changed
  fewer.stage.trials = {{0, 3}};
  more.stage.trials = {{0, 9}};
  CHECK_NOTHROW(require_recorded_stages(plan, {fewer, more, recorded}, "runs/x"));
  RecordedStage early = later;
  early.first_iteration = 7;
  CHECK_THROWS_WITH(require_recorded_stages(plan, {recorded, early}, "runs/x"),
                    StartsWith("stage 1 of 'runs/x' began with other trials than the search chooses now"));
  for (int change = 0; change < 4; ++change) {
    RecordedStage other = recorded;
    if (change == 0) other.stage.trials = {{0, 2}, {3, 4}};
    if (change == 1) other.stage.to_epoch = 3;
    if (change == 2) other.first_iteration = 1;
    if (change == 3) other.stage.first_new_trial = 2;
    CHECK_THROWS_WITH(require_recorded_stages(plan, {recorded, other}, "runs/x"),
                      StartsWith("stage 0 of 'runs/x' began with other trials than the search chooses now"));
  }
}

TEST_CASE("a refit follows the search when it is recorded, and is missing otherwise") {
  Study study = study_of_four();
  study.run.refit = true;
  const auto grid = make_single_stage(study);
  const auto results_of_search = [](std::int64_t count) {
    Replay journals;
    for (std::int64_t number = 0; number < count; ++number) journals.iterations.append(trained(number, 1), {}, 0);
    journals.iterations.settle();
    return journals;
  };
  struct Caught {
    explicit Caught(const Searcher& searcher, const Study& of, Replay journals) : plan(of), stages(searcher, plan) {
      stages.choose_next();
      later = stages.later_iterations();
      is_done = stages.catch_up(journals);
      results = journals.iterations.size();
    }
    Plan plan;
    SearchStages stages;
    std::int64_t later = 0;
    bool is_done = false;
    std::size_t results = 0;
  };
  const Caught incomplete(*grid, study, results_of_search(7));
  CHECK_FALSE(incomplete.is_done);
  CHECK_FALSE(incomplete.stages.awaits_refit());
  CHECK(incomplete.later == 1);
  const Caught searched(*grid, study, results_of_search(8));
  CHECK(searched.is_done);
  CHECK(searched.stages.awaits_refit());

  const RecordedStage refit{{1, {{2, 3}}, {0, 1}, {2, 3}, 1, 0, std::nullopt, std::nullopt, {{2, 7, 30, {}}}}, 8};
  const auto recorded = [&](const RecordedStage& stage, bool with_result) {
    Replay journals = results_of_search(8);
    ReplayedRefit& found = journals.refits.emplace_back();
    found.recorded = stage;
    if (with_result) found.results.append(trained(8, 1), {}, 0);
    found.results.settle();
    return journals;
  };
  const Caught begun(*grid, study, recorded(refit, false));
  CHECK_FALSE(begun.is_done);
  CHECK_FALSE(begun.stages.awaits_refit());
  REQUIRE(begun.plan.has_refit());
  CHECK(begun.plan.stage(1) == refit.stage);
  CHECK(begun.stages.last_stage_text() == " of the refit");
  CHECK(begun.stages.position_text() == "refit");
  CHECK(begun.stages.later_iterations() == 0);
  CHECK_FALSE(begun.stages.more_may_come());
  CHECK(begun.stages.possible_stages().empty());
  const Caught complete(*grid, study, recorded(refit, true));
  CHECK(complete.is_done);
  CHECK(complete.results == 9);

  // That of a smaller search, or of another program.
  RecordedStage earlier = refit, other = refit;
  earlier.first_iteration = 6;
  other.stage.folds = {1, 2};
  for (const RecordedStage& stage : {earlier, other}) {
    const Caught caught(*grid, study, recorded(stage, true));
    CHECK(caught.stages.awaits_refit());
    CHECK(caught.results == 8);
  }
  study.run.refit = false;
  const Caught without(*grid, study, recorded(refit, true));
  CHECK(without.is_done);
  CHECK_FALSE(without.stages.awaits_refit());
  CHECK_FALSE(without.plan.has_refit());
  CHECK(without.results == 8);
}
