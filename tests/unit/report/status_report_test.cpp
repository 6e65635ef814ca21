// SPDX-License-Identifier: MIT
#include "report/status_report.hpp"

#include <limits>

#include "study/plan.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

Study grid_study() {
  Study study = test::regression_study();
  study.study.name = "widths";
  study.search.method = SearchMethod::grid;
  study.search.folds = 3;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2"}}};
  return study;
}

RunState state_of(const Study& study) {
  return {"runs/my run", "0.9.0", test::settled(study), test::whole_plan(study), "", {}, false, {}, {"00001"}, {}};
}

// One of two trials is complete.
RunStatus half_done() {
  RunStatus status;
  status.iterations = {6, 3, 1, 0};
  status.complete_trials = 1;
  status.best.emplace();
  status.best->trial = 1;
  status.best->iterations = 3;
  status.best->mean_score = 0.5;
  status.best->mean_validation_loss = 0.25;
  status.best_iteration = 4;
  status.best_cost = 0.125;
  status.rate = 0.5;
  status.attempts = {{"00001", 4, 0.5}};
  return status;
}

}  // namespace

TEST_CASE("the report of a stopped run ends with the command that continues it") {
  const RunState run = state_of(grid_study());
  CHECK(status_text(run, half_done()) ==
        "run          runs/my run\n"
        "study        widths (grid search, 2 trials, 3 folds)\n"
        "state        stopped\n"
        "progress     4/6 iterations (67%), 0.5/s\n"
        "best trial   train.learning_rate = 0.2 (mean validation loss 0.25, R2 0.5000 over 3 folds), of 1 complete "
        "trial\n"
        "best value   validation loss 0.125 (iteration 4)\n"
        "diverged     1 iteration (the loss is not finite)\n"
        "jobs         1 (4 results)\n"
        "continue     sheaf resume 'runs/my run'\n");
}

TEST_CASE("a study without a search has iterations, no best trial, and a best value") {
  Study study = grid_study();
  study.search = {};
  study.study.iterations = 8;
  const std::string text = status_text(state_of(study), half_done());
  CHECK_THAT(text, ContainsSubstring("study        widths (8 iterations)\n") && ContainsSubstring("\nbest value   ") &&
                       !ContainsSubstring("best trial"));
}

TEST_CASE("the report of a running job has its host, its process and the time left") {
  RunState run = state_of(grid_study());
  run.jobs.jobs = {{{"node1", 4711}, {}}};
  RunStatus status = half_done();
  status.activity = RunActivity::running;
  const std::string text = status_text(run, status);
  CHECK_THAT(text, ContainsSubstring("state        running on node1 (process 4711)\n"));
  CHECK_THAT(text, ContainsSubstring("progress     4/6 iterations (67%), 0.5/s, 4.0 s left\n"));
  CHECK_THAT(text, !ContainsSubstring("continue"));
  run.jobs.jobs = {{{"node1", 4711}, TaskOfArray{2, 10}}, {{"", 0}, TaskOfArray{7, 10}}};
  CHECK_THAT(status_text(run, status),
             ContainsSubstring("running: 2 of 10 array tasks (task 2 on node1 (process 4711), task 7 on an unknown "
                               "host)\n"));
}

TEST_CASE("the progress of a search with several stages counts all of them; the time left is that of the stage") {
  RunState run = state_of(grid_study());
  run.jobs.jobs = {{{"node1", 4711}, {}}};
  run.stage_position = "stage 0 of 0..2";
  run.later_iterations = 4;
  RunStatus status = half_done();
  status.activity = RunActivity::running;
  CHECK_THAT(
      status_text(run, status),
      ContainsSubstring("progress     4/10 iterations (40%), stage 0 of 0..2, 0.5/s, 4.0 s left of this stage\n"));
  CHECK_THAT(
      status_json(run, status),
      ContainsSubstring(
          R"("iterations":{"total":6,"planned":10,"finished":3,"diverged":1,"failed":0,"pruned":0,"unfinished":0,"cut":0,"left":2})"));
}

TEST_CASE("a finished run is continued only if iterations failed") {
  const RunState run = state_of(grid_study());
  RunStatus status = half_done();
  status.activity = RunActivity::finished;
  status.iterations = {6, 6, 0, 0};
  CHECK_THAT(status_text(run, status), ContainsSubstring("finished\n") && !ContainsSubstring("continue"));
  status.iterations = {6, 4, 0, 2};
  status.first_failed = 3;
  status.first_failure = "out of\nmemory";
  CHECK_THAT(status_text(run, status), ContainsSubstring("failed       2 iterations (iteration 3: out of?memory)\n") &&
                                           ContainsSubstring("continue "));
}

TEST_CASE("result files of fewer iterations are named") {
  RunState run = state_of(grid_study());
  run.earlier_results = 3;
  CHECK_THAT(status_text(run, half_done()),
             ContainsSubstring("\nresults      of the first 3 iterations, until the run is complete\n"));
  CHECK_THAT(status_json(run, half_done()), ContainsSubstring(R"("has_results":false,"earlier_results":3,)"));
}

TEST_CASE("lost work and damage are in the report") {
  RunState run = state_of(grid_study());
  run.progress.journals.warnings.assign(7, "a line is damaged");
  RunStatus status = half_done();
  status.repeated_results = 2;
  status.waiting_checkpoints = 1;
  status.iterations.cut = 1;
  status.activity = RunActivity::unknown;
  const std::string text = status_text(run, status);
  CHECK_THAT(text, ContainsSubstring("checkpoints  of 1 unfinished iteration\n"));
  CHECK_THAT(text,
             ContainsSubstring("cut          1 iteration (search.time was over; their best epochs so far count)\n"));
  CHECK_THAT(text, ContainsSubstring("repeated     2 results (of iterations that had one)\n"));
  CHECK_THAT(text, ContainsSubstring("warning      a line is damaged\nwarning      ... and 2 more\n"));
  CHECK_THAT(text, ContainsSubstring("whether a job is running is unknown"));
}

TEST_CASE("the JSON object has all members, with null for unknown values") {
  RunState run = state_of(grid_study());
  RunStatus status;
  status.iterations.total = 6;
  CHECK(
      status_json(run, status) ==
      R"({"run":"runs/my run","study":"widths","program":"0.9.0","state":"stopped","jobs":[],"has_results":false,)"
      R"("earlier_results":null,"stages":1,"iterations":{"total":6,"planned":6,"finished":0,"diverged":0,"failed":0,"pruned":0,"unfinished":0,"cut":0,"left":6},)"
      R"("trials":{"total":2,"complete":0},"iterations_per_second":null,"seconds_left":null,"best":null,)"
      R"("best_iteration":null,"refit":null,"ensemble":null,"first_failure":null,"attempts":[],"trained_twice":0,"checkpoints":0,"warnings":[],)"
      R"("resume":"sheaf resume 'runs/my run'"})"
      "\n");
  status = half_done();
  status.activity = RunActivity::running;
  run.jobs.jobs = {{{"node1", 4711}, TaskOfArray{2, 10}}};
  const std::string text = status_json(run, status);
  CHECK_THAT(text, ContainsSubstring(R"("jobs":[{"host":"node1","process":4711,"task":2,"tasks":10}])"));
  CHECK_THAT(text, ContainsSubstring(R"("iterations_per_second":0.5,"seconds_left":4.0,"best":{"trial":1,"keys":)"
                                     R"({"train.learning_rate":"0.2"},"ranked_by":"validation loss","metric":"R2",)"));
  CHECK_THAT(text, ContainsSubstring(R"("attempts":[{"name":"00001","results":4,"iterations_per_second":0.5}])"));
  CHECK_THAT(text, ContainsSubstring(R"("resume":null})"));
}
