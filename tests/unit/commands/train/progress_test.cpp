// SPDX-License-Identifier: MIT
#include "commands/train/progress.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("progress shows the count, the rate and the remaining time") {
  CHECK(progress_text(0, 1, 1, {}) == "0/1 iteration (0%)");
  CHECK(progress_text(0, 60, 1, {}) == "0/60 iterations (0%)");
  CHECK(progress_text(30, 60, 2, {}) == "30/60 iterations (50%), 15/s, 2.0 s left");
  CHECK(progress_text(60, 60, 2, {}) == "60/60 iterations (100%), 30/s");
  CHECK(progress_text(0, 0, 0, {}) == "0/0 iterations (100%)");
}

TEST_CASE("the progress bar fits the width of the terminal") {
  CHECK(progress_bar(5, 10, 1, {}, 200) ==
        "[####################....................] 5/10 iterations (50%), 5/s, 1.0 s left");
  for (int width : {1, 10, 40, 60, 80}) CHECK(static_cast<int>(progress_bar(5, 10, 1, {}, width).size()) < width);
}

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
  CHECK(progress_text(30, 60, 2, best()) == "30/60 iterations (50%), 15/s, 2.0 s left, best validation loss 0.5");
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
