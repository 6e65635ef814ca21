// SPDX-License-Identifier: MIT
#include "results/leaderboard.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Plan plan_of(std::int64_t folds, std::int64_t members) {
  Study study;
  study.search.method = SearchMethod::grid;
  study.search.folds = folds;
  study.ensemble.members = members;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01", "0.001"}}};
  return Plan(study);
}

std::vector<IterationRecord> records_with_scores(const std::vector<double>& scores) {
  std::vector<IterationRecord> records;
  for (double score : scores) {
    IterationRecord record;
    record.iteration = static_cast<std::int64_t>(records.size());
    record.status = std::isnan(score) ? IterationStatus::diverged : IterationStatus::finished;
    record.validation_score = score;
    record.validation_loss = 1 - score;
    record.final_loss = 2 - score;
    record.seconds = 0.5;
    records.push_back(record);
  }
  return records;
}

}  // namespace

TEST_CASE("trials are ranked by their mean score over folds") {
  const auto trials = rank_trials(plan_of(2, 1), records_with_scores({0.5, 0.7, 0.8, 0.9, 0.6, 0.6}), {});
  REQUIRE(trials.size() == 3);
  CHECK(trials[0].trial == 1);
  CHECK(trials[0].rank == 1);
  CHECK(trials[0].mean_score == Approx(0.85));
  CHECK(trials[0].score_deviation == Approx(0.05));
  CHECK(trials[0].mean_validation_loss == Approx(0.15));
  CHECK(trials[0].mean_final_loss == Approx(1.15));
  CHECK(trials[0].seconds == Approx(1.0));
  CHECK(trials[1].trial == 0);  // equal means: the lower number first
  CHECK(trials[2].trial == 2);
}

TEST_CASE("a trial with a diverged fold comes last") {
  const auto trials = rank_trials(plan_of(2, 1), records_with_scores({0.9, not_a_number, 0.1, 0.1, 0.2, 0.2}), {});
  CHECK(trials[2].trial == 0);
  CHECK(trials[2].diverged == 1);
  CHECK(std::isnan(trials[2].mean_score));
}

TEST_CASE("without scores the final loss decides") {
  auto records = records_with_scores({0.1, 0.3, 0.2});
  for (auto& record : records) record.validation_score = record.validation_loss = not_a_number;
  const auto trials = rank_trials(plan_of(1, 1), records, {});
  CHECK(trials[0].trial == 1);
  CHECK(trials[1].trial == 2);
  CHECK(trials[2].trial == 0);
}

TEST_CASE("ensembles are ranked by their own scores") {
  const std::vector<EnsembleRecord> ensembles = {{0, 0, 0, 0.7, 0}, {1, 0, 0, 0.6, 0}, {2, 0, 0, 0.8, 0}};
  const auto trials = rank_trials(plan_of(1, 2), records_with_scores({1, 1, 1, 1, 0, 0}), ensembles);
  CHECK(trials[0].trial == 2);
  CHECK(trials[0].mean_score == Approx(0.8));
  CHECK(trials[2].trial == 1);
}

TEST_CASE("the best model of a trial is the fold with the best score, all members") {
  const Plan plan = plan_of(2, 2);
  auto records = records_with_scores({0, 0, 0, 0, /**/ 0.5, 0.9, 0.8, 0.7, /**/ 0.6, not_a_number, 0.1, 0.2});
  CHECK(best_model(plan, 1, records, {}) == IndexRange{6, 8});  // 0.75 against 0.7
  CHECK(best_model(plan, 2, records, {}) == IndexRange{10, 12});
  std::vector<EnsembleRecord> ensembles(6);
  ensembles[2].score = 0.95;  // the ensemble's score counts, not its members'
  CHECK(best_model(plan, 1, records, ensembles) == IndexRange{4, 6});
  for (auto& record : records) record.validation_score = record.validation_loss = not_a_number;
  records[7].final_loss = -5;
  CHECK(best_model(plan, 1, records, {}) == IndexRange{6, 8});  // by the final loss alone
  records[4].status = records[7].status = IterationStatus::diverged;
  CHECK(best_model(plan, 1, records, {}).empty());
}
