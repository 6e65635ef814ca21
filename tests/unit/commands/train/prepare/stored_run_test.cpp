// SPDX-License-Identifier: MIT
#include "commands/train/prepare/stored_run.hpp"

#include "core/error.hpp"
#include "runs/directory/study_identity.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

// A run with results of some iterations. The number of its iterations is larger.
RunState run_with(const Study& study, const std::vector<std::int64_t>& iterations) {
  RunState run{"r", "", test::settled(study), test::whole_plan(study), "", {}, false, {}, {}, {}};
  for (const std::int64_t number : iterations) {
    TrainedIteration iteration;
    iteration.result.iteration = number;
    run.progress.journals.iterations.append(iteration, {}, 0);
  }
  run.progress.journals.iterations.settle();
  return run;
}

}  // namespace

TEST_CASE("a run can be reduced to the trials that have results, and the message names their number") {
  Study study = test::plain_study();
  study.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::uniform}};
  study.search.method = SearchMethod::random;
  study.search.trials = 20;
  study.search.folds = 3;
  const RunState run = run_with(study, {0, 1, 2, 4, 15});  // trial 5
  study.search.trials = 6;
  CHECK_NOTHROW(require_all_results(study, run));
  CHECK_NOTHROW(require_all_results(study, run_with(run.study, {})));
  study.search.trials = 5;
  CHECK_THROWS_AS(require_all_results(study, run), UsageError);
  CHECK_THROWS_WITH(require_all_results(study, run),
                    "search.trials = 5 is too small for 'r' (it has results up to trial 5, and keeps them). Set "
                    "search.trials to 6 or more.");
}

TEST_CASE("repeats without searched keys can be reduced to those that have results") {
  Study study = test::plain_study();
  study.study.iterations = 10;
  study.search.method = SearchMethod::grid;
  study.search.repeats = 2;
  study.search.folds = 2;
  const RunState run = run_with(study, {0, 8});  // repeat 4 of 20, in iteration 2 of the study
  study.study.iterations = 3;
  CHECK_NOTHROW(require_all_results(study, run));
  study.study.iterations = 2;
  CHECK_THROWS_WITH(require_all_results(study, run), ContainsSubstring("Set study.iterations to 3 or more."));
  study.study.iterations = 10;
  study.search.repeats = 1;
  CHECK_NOTHROW(require_all_results(study, run));
  CHECK_THROWS_WITH(
      require_all_results(study, run_with(run.study, {0, 39})),
      ContainsSubstring("search.repeats = 1 is too small for 'r' (it has results up to repeat 1, and keeps "
                        "them). Set search.repeats to 2 or more."));
}

TEST_CASE("a resumed run saves models only of the iterations that remain") {
  Study study = test::plain_study(), stored = study;
  study.run.output = "r";
  study.run.models = ModelsSaved::best;
  CHECK(models_warning(study, stored, 5, 3) ==
        "run.models = best applies only to the 3 iterations that remain (5 were trained with run.models = none, and "
        "resume does not train them again). For all models, train the study again with another run.output.");
  CHECK_THROWS_WITH(
      models_warning(study, stored, 8, 0),
      "run.models = best has no effect on 'r' (all of its iterations were trained with run.models = none, "
      "and resume does not train them again). Train the study again: sheaf run r/study.cfg "
      "--run.models=best --run.output=NEW_DIR.");
  CHECK_THROWS_AS(models_warning(study, stored, 8, 0), UsageError);
  CHECK(models_warning(study, stored, 0, 8).empty());  // nothing was trained before
  CHECK(models_warning(stored, study, 8, 0).empty());  // none are saved
  stored.run.models = ModelsSaved::best;
  CHECK(models_warning(study, stored, 8, 0).empty());
}

TEST_CASE("a run with other lists or ranges needs new trials, and the message says how many") {
  Study stored = test::plain_study();
  stored.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::uniform}};
  stored.search.method = SearchMethod::random;
  stored.search.trials = 20;
  stored.search.folds = 3;
  stored.search.time = 60;
  RunState run = run_with(stored, {0, 1, 2, 4, 15});  // trial 5
  CHECK(known_trials(run) == 6);
  CHECK(known_trials(run_with(stored, {})) == 0);
  Study wider = stored;
  wider.search.keys[0].candidates = {"0.0001", "1"};
  const auto with_trials = [&](std::int64_t trials) {
    Study study = wider;
    study.search.trials = trials;
    return extended(study, stored, known_trials(run));
  };
  CHECK_NOTHROW(require_new_trials(with_trials(7), run));
  CHECK_THROWS_AS(require_new_trials(with_trials(6), run), UsageError);
  CHECK_THROWS_WITH(require_new_trials(with_trials(6), run),
                    "search.trials = 6 leaves no trial for the new values of search.train.learning_rate ('r' has 6 "
                    "trials, which keep their values). Set search.trials to 7 or more.");
  run.progress.journals.end = RecordedEnd{60, 6};
  CHECK_THROWS_WITH(
      require_time_left(with_trials(20), run),
      "search.time = 60 leaves no time for new trials (it has ended the search of 'r'). Increase it, or set "
      "search.time = none.");
  CHECK_NOTHROW(require_time_left(with_trials(6), run));
  wider.search.time = 90;
  CHECK_NOTHROW(require_time_left(with_trials(20), run));

  stored.search = {};
  stored.search.method = SearchMethod::grid;
  stored.search.keys = {{"train.learning_rate", {"0.001", "0.1"}}};
  wider = stored;
  wider.search.keys[0].candidates = {"0.1"};
  CHECK_THROWS_WITH(require_new_trials(extended(wider, stored, 0), run_with(stored, {0})),
                    "the new values of search.train.learning_rate give no new combination ('r' has all of them, 2 "
                    "trials). Add values.");
}
