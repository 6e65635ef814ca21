// SPDX-License-Identifier: MIT
#include "commands/train/prepare/stored_run.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

// A run with results of some iterations. The number of its iterations is larger.
RunState run_with(const Study& study, const std::vector<std::int64_t>& iterations) {
  RunState run{"r", "", study, test::whole_plan(study), "", {}, false, {}, {}, {}};
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
