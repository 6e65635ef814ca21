// SPDX-License-Identifier: MIT
#include "search/iteration_value.hpp"

#include <limits>

#include "study/study.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("progress shows the best value so far, by the metric of the search") {
  Study study = test::plain_study();
  study.data.task = Task::classification;
  IterationResult result;
  result.status = IterationStatus::finished;
  result.final_loss = 0.123456789;
  result.validation_loss = 0.5;
  result.validation_score = 0.97531;
  const auto best = [&] {
    const ProgressValue value = progress_value_of(study);
    return best_so_far(value, cost_of(value, result));
  };
  CHECK(best() == "best loss 0.12346");
  study.data.validation = 0.2;
  study.search.metric = "accuracy";
  CHECK(best() == "best accuracy 0.9753");
  study.search.metric = "loss";
  CHECK(best() == "best validation loss 0.5");
  result.status = IterationStatus::diverged;
  CHECK(best() == std::nullopt);
  result.status = IterationStatus::finished;
  result.validation_loss = std::numeric_limits<double>::quiet_NaN();
  CHECK(best() == std::nullopt);
}

TEST_CASE("a larger score has a lower cost") {
  const ProgressValue accuracy{ProgressValue::Source::score, "accuracy", true};
  IterationResult good, bad;
  good.status = bad.status = IterationStatus::finished;
  good.validation_score = 0.9;
  bad.validation_score = 0.1;
  CHECK(cost_of(accuracy, good) < cost_of(accuracy, bad));
}
