// SPDX-License-Identifier: MIT
#include "commands/train/plan_cost.hpp"

#include "engines/engine_table.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

constexpr double expected_of_native(double flops) {
  return flops / expected_core_flops;
}

Study study_with(const std::vector<std::string>& epochs) {
  Study study;
  study.data = test::plain_data();
  study.data.source = DataSource::synthetic;
  study.model.kind = ModelKind::linear;
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.epochs", epochs, Sampling::list}};
  return study;
}

// One GFLOP per epoch; `flops` of 0: unknown.
TrialEstimate estimate_of(const Trial& trial) {
  TrialEstimate estimate;
  estimate.flops = 1e9 * static_cast<double>(trial.train.epochs);
  estimate.memory_bytes = 100 * static_cast<double>(trial.train.epochs);
  estimate.checkpoint_bytes = 10;
  return estimate;
}

PlanCost cost_of(const Study& study, const EstimateOfTrial& estimate = estimate_of) {
  const Plan plan = test::whole_plan(study);
  const EngineOfTrial native = [](const Trial&) {
    return TrialEngine{{}, {engine_named(native_engine_name).name, std::nullopt}};  // none on GPUs
  };
  return plan_cost(study, plan, {{{0, plan.trial_count()}, 0, 0, std::nullopt}}, {core_lane}, native, estimate);
}

}  // namespace

TEST_CASE("the cost of a plan has means and maxima over its trials") {
  const PlanCost cost = cost_of(study_with({"1", "2", "6"}));
  CHECK(cost.iterations == 3);
  CHECK(cost.mean_flops == 3e9);
  CHECK(cost.most_memory_bytes == 600);
  CHECK(cost.mean_checkpoint_bytes == 10);
  CHECK(cost.is_known);
  CHECK(cost.work.iterations == 3);
  CHECK(cost.work.core_seconds == expected_of_native(3e9));
  CHECK(cost.work.longest_seconds == expected_of_native(6e9));
  CHECK(cost.work.gpu_seconds == 0);
}

TEST_CASE("a time limit of the search bounds the time with its margin") {
  Study study = study_with({"4000"});
  const PlanCost cost = cost_of(study);  // 100 s
  JobShape shape;
  shape.core_lanes = 1;
  const auto unlimited = training_time(study, cost, shape);
  REQUIRE(unlimited);
  CHECK(unlimited->expected == 100);
  CHECK(unlimited->at_most == 300);
  study.search.time = 50;
  const auto limited = training_time(study, cost, shape);
  REQUIRE(limited);
  CHECK(limited->expected == 50);
  CHECK(limited->at_most == 300);
  study.search.time = 100000;
  CHECK(training_time(study, cost, shape)->at_most == 300);
  study = study_with(std::vector<std::string>(1000, "40"));  // 1 s each
  study.search.time = 100;
  CHECK(training_time(study, cost_of(study), shape)->at_most == 103);  // an iteration may begin at the end
}

TEST_CASE("the time is unknown without the cost or the number of trials, unless the search has a time limit") {
  Study study = study_with({"1"});
  const PlanCost unknown = cost_of(study, [](const Trial&) { return TrialEstimate{}; });
  CHECK_FALSE(unknown.is_known);
  JobShape shape;
  shape.core_lanes = 1;
  CHECK_FALSE(training_time(study, unknown, shape));
  const PlanCost cost = cost_of(study);
  study.search.method = SearchMethod::random;
  study.search.patience = 5;
  CHECK_FALSE(training_time(study, cost, shape));
  study.search.time = 50;
  CHECK(training_time(study, cost, shape)->expected == 50);
  CHECK(training_time(study, cost, shape)->at_most == 50);
}
