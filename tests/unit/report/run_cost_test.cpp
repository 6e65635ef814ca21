// SPDX-License-Identifier: MIT
#include "report/run_cost.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

TimedResult trained(std::size_t job, std::int64_t iteration, std::int32_t lane, double begin, double seconds,
                    double earlier = 0) {
  TimedResult timed{job, {}};
  timed.result.iteration = iteration;
  timed.result.status = IterationStatus::finished;
  timed.result.rank = 0;
  timed.result.lane = lane;
  timed.result.start_seconds = begin;
  timed.result.seconds = seconds + earlier;
  timed.result.earlier_seconds = earlier;
  return timed;
}

RunCost cost(const std::vector<TimedResult>& results, const CostFacts& facts) {
  return cost_of(results, timeline_of(results, facts.jobs), facts);
}

}  // namespace

TEST_CASE("the parts of the time add up to that of the lanes") {
  std::vector<TimedResult> results = {trained(0, 0, 0, 1, 8), trained(0, 1, 1, 0, 6)};
  results[0].result.data_seconds = 1;
  results[0].result.validation_seconds = 2;
  const RunCost found = cost(results, {{{10.0, JobEnd::recorded, 2}}, 3, 0, 0.1});
  CHECK(found.shares.training == 11);
  CHECK(found.shares.data == 1);
  CHECK(found.shares.validation == 2);
  CHECK(found.shares.idle == 2);
  CHECK(found.shares.other == 4);
  CHECK(found.shares.lost() == 0);
  CHECK(found.shares.total() == 20);
  CHECK(found.core_seconds() == 60);
  CHECK(cost_text(found) == "60.00 core-seconds: 2 lanes x 3 threads for 10.0 s in 1 job");
}

TEST_CASE("a killed job loses the time after the last result of each lane") {
  const std::vector<TimedResult> results = {trained(0, 0, 0, 0, 4), trained(1, 1, 0, 0, 9), trained(1, 2, 1, 0, 10)};
  const RunCost found = cost(results, {{{6.0, JobEnd::killed, 2}, {10.0, JobEnd::recorded, 2}}});
  CHECK(found.shares.unfinished == 2 + 6);
  CHECK(found.shares.other == 1);
  CHECK(found.shares.total() == found.lane_seconds);
  CHECK(cost_text(found) ==
        "32.00 core-seconds: 2 lanes x 1 thread for 16.0 s in 2 jobs; 8.00 of them (25.0 %) are lost work");
}

TEST_CASE("what later jobs continue from checkpoints is not lost") {
  const std::vector<TimedResult> results = {trained(1, 0, 0, 0, 4, 5)};
  CHECK(cost(results, {{{8.0, JobEnd::killed, 1}, {4.0, JobEnd::recorded, 1}}}).shares.unfinished == 3);
  // A job that was stopped has saved its trainings.
  const std::vector<JobRecord> stopped = {{5.0, JobEnd::recorded, 1}, {4.0, JobEnd::recorded, 1}};
  CHECK(cost(results, {stopped}).shares.lost() == 0);
  const std::vector<JobRecord> both = {
      {5.0, JobEnd::recorded, 1}, {4.0, JobEnd::recorded, 1}, {3.0, JobEnd::killed, 1}};
  CHECK(cost(results, {both}).shares.unfinished == 3);
}

TEST_CASE("a job at work has not lost anything") {
  CHECK(cost({trained(0, 0, 0, 0, 4)}, {{{9.0, JobEnd::none, 2}}}).shares.lost() == 0);
}

TEST_CASE("results of iterations that were trained again are lost") {
  const std::vector<TimedResult> results = {trained(0, 0, 0, 3, 4)};
  const RunCost found = cost(results, {{{8.0, JobEnd::recorded, 1}}, 1, 2.5});
  CHECK(found.shares.repeated == 2.5);
  CHECK(found.shares.other == 1.5);
  CHECK(cost(results, {{{8.0, JobEnd::recorded, 1}}, 1, 100}).shares.repeated == 4);  // no more than there is
}

TEST_CASE("what was expected is for the lanes that the jobs had on average") {
  const std::vector<TimedResult> results = {trained(0, 0, 0, 0, 4), trained(1, 1, 0, 0, 4)};
  RunCost found = cost(results, {{{4.0, JobEnd::recorded, 1}, {4.0, JobEnd::recorded, 3, 2.0}}});
  REQUIRE(found.expected_seconds);
  CHECK(*found.expected_seconds == 3);
  CHECK(expectation_text(found, true) == "Expected 3.0 s by the arithmetic, took 8.0 s: 2.7 times as long.");
  CHECK(expectation_text(found, false) == "Expected 3.0 s by the arithmetic for the whole run; 8.0 s so far.");
  found = cost(results, {{{4.0, JobEnd::recorded, 1}, {4.0, JobEnd::recorded, 1}}});
  CHECK(!expectation_text(found, true));
  CHECK(!expectation_text(cost({}, {{{{}, JobEnd::killed, 1, 5.0}}}), false));  // nothing has been trained
}

TEST_CASE("parts without time have no row") {
  TimeShares shares;
  shares.training = 3;
  shares.repeated = 1;
  CHECK(time_rows(shares) ==
        std::vector<std::vector<std::string>>{{"training", "3.0000", "75.0"}, {"trained again", "1.0000", "25.0"}});
  CHECK(time_rows({}).empty());
}
