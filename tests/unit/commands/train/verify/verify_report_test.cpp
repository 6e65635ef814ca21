// SPDX-License-Identifier: MIT
#include "commands/train/verify/verify_report.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"

namespace sheaf {
namespace {

// 3 trials, 2 folds, 2 members.
const Plan& search() {
  static const Plan plan = [] {
    Study study = test::regression_study();
    study.search.method = SearchMethod::grid;
    study.search.folds = 2;
    study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3"}}};
    study.ensemble.members = 2;
    Plan with_stage(study);
    with_stage.add(whole_stage(with_stage));
    return with_stage;
  }();
  return plan;
}

TEST_CASE("the report says how many iterations have the same bits") {
  const std::vector<ComparedIteration> compared = {{0, {}, {}, true, false}, {3, {}, {}, true, true}};
  CHECK(verify_text(search(), compared, 2, {}) ==
        "2 of 2 iterations have the same bits\n"
        "compared: results of 2 iterations, held-out predictions of 2, weights of 1\n");
  CHECK(verify_text(search(), {{0, {}, {}, false, false}}, 1, {1, 0, 2, 0}) ==
        "1 of 1 iterations have the same bits\ncompared: results of 1 iteration\nleft out: 1 pruned, 2 failed\n");
}

TEST_CASE("each iteration that differs has a line with its place in the study") {
  const std::vector<ComparedIteration> compared = {{0, {}, {}},
                                                   {7, {}, {"steps 1 instead of 2", "epochs 3 instead of 4"}}};
  CHECK(verify_text(search(), compared, 2, {}) ==
        "iteration 7 (trial 1, fold 1, member 1): steps 1 instead of 2; epochs 3 instead of 4\n"
        "1 of 2 iterations have the same bits\ncompared: results of 2 iterations\n");
  Plan single(test::regression_study());
  single.add(whole_stage(single));
  CHECK_THAT(verify_text(single, {{0, {}, {"steps 1 instead of 2"}}}, 1, {}),
             StartsWith("iteration 0: steps 1 instead of 2\n"));
}

TEST_CASE("each reason for rounding has its own line") {
  const std::vector<ComparedIteration> compared = {
      {0, {}, {}}, {1, "one reason", {}}, {2, "one reason", {"steps 1 instead of 2"}}, {3, "another", {}}};
  CHECK_THAT(verify_text(search(), compared, 4, {}),
             EndsWith("1 of 1 iterations have the same bits\n"
                      "1 of 1 iterations agree to rounding (another)\n"
                      "1 of 2 iterations agree to rounding (one reason)\n"
                      "Larger differences can be amplified rounding errors, for example with a large learning rate. To "
                      "be sure, compare bits: verify the run where it was trained.\n"
                      "compared: results of 4 iterations\n"));
}

TEST_CASE("a stopped job reports what it has not trained") {
  CHECK(verify_text(search(), {}, 10, {}) ==
        "compared: results of 0 iterations\nnot trained: 10 iterations, because the job was stopped\n");
}

}  // namespace
}  // namespace sheaf
