// SPDX-License-Identifier: MIT
#include "search/ensemble_candidates.hpp"

#include <memory>
#include <vector>

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

Study study_with(std::int64_t trials, std::int64_t folds) {
  Study study = test::regression_study();
  study.search.method = SearchMethod::random;
  study.search.trials = trials;
  study.search.folds = folds;
  study.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::log_uniform}};
  return study;
}

// Of a trial all of whose iterations finished.
TrialSummary complete(const Plan& plan, std::int64_t stage, std::int64_t trial) {
  TrialSummary summary;
  summary.stage = stage;
  summary.trial = trial;
  summary.iterations = summary.finished = plan.stage(stage).per_trial();
  return summary;
}

std::vector<std::int64_t> numbers_of(const std::vector<TrialSummary>& trials) {
  std::vector<std::int64_t> numbers;
  for (const TrialSummary& trial : trials) numbers.push_back(trial.trial);
  return numbers;
}

bool any(IndexRange /*iterations*/) {
  return true;
}

// Row r is held out in fold folds[r]; -1: in none.
RowSet in_fold(const std::vector<std::int32_t>& folds, std::int64_t fold) {
  const auto owner = std::make_shared<std::vector<std::int32_t>>(folds);
  return RowSet::in_fold({owner, owner->data()}, static_cast<std::int64_t>(folds.size()), fold);
}

}  // namespace

TEST_CASE("candidates are the best trials all of whose iterations finished and are usable") {
  const Plan plan = test::whole_plan(study_with(6, 2));
  std::vector<TrialSummary> trials;
  for (const std::int64_t trial : {4, 2, 0, 5, 1, 3}) trials.push_back(complete(plan, 0, trial));
  CHECK(numbers_of(ensemble_candidates(plan, trials, any)) == std::vector<std::int64_t>{4, 2, 0, 5, 1, 3});
  trials[1].finished = 1;  // trial 2 diverged in a fold
  trials[3].finished = 1;  // trial 5 was pruned after a fold
  trials[3].left_out = 1;
  CHECK(numbers_of(ensemble_candidates(plan, trials, any)) == std::vector<std::int64_t>{4, 0, 1, 3});
  const auto usable = [](IndexRange iterations) { return iterations.begin != 0 && iterations.count() == 2; };
  CHECK(numbers_of(ensemble_candidates(plan, trials, usable)) == std::vector<std::int64_t>{4, 1, 3});
  CHECK(ensemble_candidates(plan, trials, [](IndexRange) { return false; }).empty());
}

TEST_CASE("at most 50 candidates are considered, beginning with the best") {
  const Plan plan = test::whole_plan(study_with(60, 1));
  std::vector<TrialSummary> trials;
  for (std::int64_t trial = 59; trial >= 0; --trial) trials.push_back(complete(plan, 0, trial));
  const auto candidates =
      ensemble_candidates(plan, trials, [](IndexRange iterations) { return iterations.begin != 59; });
  CHECK(candidates.size() == max_ensemble_candidates);
  CHECK(candidates.front().trial == 58);
  CHECK(candidates.back().trial == 9);
}

TEST_CASE("trials that paused in an earlier stage are no candidates, nor those with a part of the folds") {
  Plan plan(study_with(4, 2));
  Stage first = whole_stage(plan);
  first.to_epoch = 1;
  plan.add(first);
  Stage second = whole_stage(plan);
  second.number = 1;
  second.trials = {{1, 3}};
  second.from_epoch = 1;
  plan.add(second);
  std::vector<TrialSummary> trials = {complete(plan, 1, 2), complete(plan, 1, 1), complete(plan, 0, 0),
                                      complete(plan, 0, 3)};
  CHECK(numbers_of(ensemble_candidates(plan, trials, any)) == std::vector<std::int64_t>{2, 1});
  trials[0].iterations = trials[0].finished = 1;
  CHECK(numbers_of(ensemble_candidates(plan, trials, any)) == std::vector<std::int64_t>{1});
}

TEST_CASE("held-out rows are those of all splits, and their values are means over the splits") {
  // Two repeats of two folds. Row 2 is in no fold of the first repeat, row 4 in none at all.
  const std::vector<std::int32_t> repeat0 = {0, 1, -1, 0, -1}, repeat1 = {1, 0, 0, 1, -1};
  const std::vector<RowSet> splits = {in_fold(repeat0, 0), in_fold(repeat0, 1), in_fold(repeat1, 0),
                                      in_fold(repeat1, 1)};
  const HeldOutRows rows(splits, 5);
  CHECK(rows.numbers() == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(rows.set().list() == std::vector<std::int64_t>{0, 1, 2, 3});
  HeldOutRows::Mean mean(rows, 2);
  mean.add(splits[0], std::vector<float>{1, 2, 3, 4}.data());    // rows 0 and 3
  mean.add(splits[1], std::vector<float>{5, 6}.data());          // row 1
  mean.add(splits[2], std::vector<float>{7, 8, 9, 10}.data());   // rows 1 and 2
  mean.add(splits[3], std::vector<float>{11, 12, 4, 6}.data());  // rows 0 and 3
  CHECK(mean.values() == std::vector<float>{6, 7, 6, 7, 9, 10, 3.5, 5});
}

TEST_CASE("models of an ensemble are averaged like repeats") {
  const RowSet split = RowSet::range({1, 3}, 4);
  const HeldOutRows rows({split}, 4);
  CHECK(rows.numbers() == std::vector<std::int64_t>{1, 2});
  HeldOutRows::Mean mean(rows, 1);
  for (const float value : {1.0f, 2.0f, 6.0f}) mean.add(split, std::vector<float>{value, -value}.data());
  CHECK(mean.values() == std::vector<float>{3, -3});
}
