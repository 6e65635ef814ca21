// SPDX-License-Identifier: MIT
#include "results/summary.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::vector<IterationRecord> finished_records(std::int64_t count) {
  std::vector<IterationRecord> records(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number) {
    auto& record = records[static_cast<std::size_t>(number)];
    record.iteration = number;
    record.status = IterationStatus::finished;
    record.final_loss = 1.04321 + static_cast<double>(number);
    record.validation_loss = 0.5;
    record.validation_score = 0.9 + 0.01 * static_cast<double>(number);
  }
  return records;
}

}  // namespace

TEST_CASE("plain iterations print a line each") {
  Study study;
  study.study.iterations = 2;
  CHECK(summary_text(study, Plan(study), finished_records(2), {}) ==
        "Iteration 0 final loss: 1.0432\n"
        "Iteration 1 final loss: 2.0432\n");
}

TEST_CASE("diverged iterations are counted") {
  Study study;
  study.study.iterations = 2;
  auto records = finished_records(2);
  records[1].status = IterationStatus::diverged;
  CHECK_THAT(summary_text(study, Plan(study), records, {}), ContainsSubstring("1 of 2 iterations diverged"));
}

TEST_CASE("a search prints its leaderboard and the best parameters") {
  Study study;
  study.data.task = Task::classification;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  CHECK(summary_text(study, Plan(study), finished_records(4), {}) ==
        "rank  train.learning_rate  mean accuracy     std  validation loss  final loss\n"
        "   1                 0.01         0.9250  0.0050              0.5      3.5432\n"
        "   2                  0.1         0.9050  0.0050              0.5      1.5432\n"
        "Best: train.learning_rate = 0.01 (mean accuracy 0.9250 over 2 folds)\n");
}

TEST_CASE("an ensemble prints its members and its own score") {
  Study study;
  study.data.task = Task::classification;
  study.data.validation = 0.2;
  study.ensemble.members = 2;
  const std::string text = summary_text(study, Plan(study), finished_records(2), {{0, 0, 0, 0.97, 0.905}});
  CHECK(text ==
        "Iteration 0 (member 0) final loss: 1.0432  validation loss: 0.5000  accuracy: 0.9000\n"
        "Iteration 1 (member 1) final loss: 2.0432  validation loss: 0.5000  accuracy: 0.9100\n"
        "Ensemble of 2 members accuracy: 0.9700 (members' mean 0.9050)\n");
  study.data.validation = 0;
  CHECK_THAT(summary_text(study, Plan(study), finished_records(2), {}), ContainsSubstring("Set data.validation"));
}
