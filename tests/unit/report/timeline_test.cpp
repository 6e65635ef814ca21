// SPDX-License-Identifier: MIT
#include "report/timeline.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

TimedResult trained(std::size_t job, std::int64_t iteration, std::int32_t rank, std::int32_t lane, double begin,
                    double seconds) {
  TimedResult timed{job, {}};
  timed.result.iteration = iteration;
  timed.result.status = IterationStatus::finished;
  timed.result.rank = rank;
  timed.result.lane = lane;
  timed.result.start_seconds = begin;
  timed.result.seconds = seconds;
  return timed;
}

}  // namespace

TEST_CASE("spans are by rank and lane, from the first training on") {
  const Timeline timeline =
      timeline_of({trained(0, 0, 0, 0, 10, 2), trained(0, 1, 1, 0, 11, 5), trained(0, 2, 0, 0, 13, 1)}, {JobRecord{}});
  REQUIRE(timeline.rows.size() == 2);
  CHECK(timeline.rows[1].rank == 1);
  REQUIRE(timeline.spans.size() == 3);
  CHECK(timeline.spans[0].begin == 0);
  CHECK(timeline.spans[1].iteration == 2);
  CHECK(timeline.spans[1].begin == 3);
  CHECK(timeline.spans[2].end == 6);
  CHECK(timeline.seconds == 6);
  CHECK(timeline.lane_seconds == 12);
  CHECK(timeline.idle_seconds == 4);
  CHECK(timeline.ends == std::vector<double>{2, 6, 4});
}

TEST_CASE("jobs follow each other with a gap; a job without results takes no time") {
  const Timeline timeline =
      timeline_of({trained(0, 0, 0, 0, 1, 10), trained(2, 1, 0, 0, 1, 10)}, std::vector<JobRecord>(3));
  REQUIRE(timeline.jobs.size() == 3);
  CHECK(timeline.jobs[1].lanes == 0);
  CHECK(timeline.jobs[2].begin > 10);
  CHECK(timeline.seconds == 20);
  CHECK(timeline.idle_seconds == 0);
  CHECK(timeline.end() == timeline.jobs[2].begin + 10);
}

TEST_CASE("a job that has recorded its time lasts from its beginning to its end") {
  const std::vector<TimedResult> results = {trained(0, 0, 0, 0, 2, 3), trained(1, 1, 0, 0, 1, 10)};
  const Timeline timeline = timeline_of(results, {JobRecord{7.0}, JobRecord{10.5}, JobRecord{4.0}});
  CHECK(timeline.spans[0].begin == 2);
  CHECK(timeline.jobs[0].end == 7);
  CHECK(timeline.jobs[1].end - timeline.jobs[1].begin == 11);  // the clocks of ranks differ
  CHECK(timeline.jobs[2].lanes == 0);
  CHECK(timeline.seconds == 18);
  CHECK(timeline.idle_seconds == 5);
}

TEST_CASE("the time of a resumed training in earlier jobs is not in its span") {
  TimedResult resumed = trained(0, 0, 0, 0, 0, 8);
  resumed.result.earlier_seconds = 3;
  const Timeline timeline = timeline_of({resumed, trained(0, 1, 0, 0, 5, 2), trained(0, 2, 0, 0, 8, 9)}, {JobRecord{}});
  CHECK(timeline.rows.size() == 1);
  CHECK(timeline.spans[0].end == 5);
  CHECK(timeline.spans[1].begin == 5);
  CHECK(timeline.idle_seconds == 1);
}

TEST_CASE("a lane that trains several models side by side has a row for each") {
  std::vector<TimedResult> results;
  for (std::int64_t pair = 0; pair < 4; ++pair)
    for (std::int64_t model = 0; model < 2; ++model)
      results.push_back(trained(0, 2 * pair + model, 0, 0, static_cast<double>(pair) * 10, 10));
  const Timeline timeline = timeline_of(results, {JobRecord{}});
  REQUIRE(timeline.rows.size() == 2);
  CHECK(timeline.rows[1].part == 1);
  CHECK(timeline.lane_seconds == 40);
  CHECK(timeline.idle_seconds == 0);
}

TEST_CASE("the times of models that are trained together are shares of the time of their lane") {
  JobRecord job;
  job.seconds = 22;
  job.lanes = 1;
  std::vector<TimedResult> results;  // two stacks of four models, each of which ends after 10 s
  for (std::int64_t model = 0; model < 8; ++model)
    results.push_back(trained(0, model, 0, 0, model < 4 ? 7.5 : 17.5, 2.5));
  const Timeline timeline = timeline_of(results, {job});
  CHECK(timeline.lane_seconds == 22);
  CHECK(timeline.idle_seconds == 2);
}

TEST_CASE("pruned iterations have no span") {
  TimedResult pruned = trained(0, 1, 0, -1, 0, 0);
  pruned.result.status = IterationStatus::pruned;
  const Timeline timeline = timeline_of({trained(0, 0, 0, 0, 3, 4), pruned}, {JobRecord{}});
  CHECK(timeline.spans.size() == 1);
  CHECK(timeline.ends == std::vector<double>{4, 0});
  CHECK(timeline_of({}, {}).spans.empty());
  CHECK(timeline_of({}, {}).end() == 0);
}

TEST_CASE("a job also has lanes without results, whose time is after their last result") {
  const std::vector<TimedResult> results = {trained(0, 0, 0, 0, 1, 3), trained(0, 1, 0, 1, 1, 8)};
  const std::vector<JobRecord> jobs = {{10.0, JobEnd::killed, 3}, {5.0, JobEnd::killed, 2}};
  const Timeline timeline = timeline_of(results, jobs);
  CHECK(timeline.jobs[0].lanes == 3);
  CHECK(timeline.jobs[0].tail_seconds == 6 + 1 + 10);
  CHECK(timeline.jobs[1].lanes == 2);  // without any result
  CHECK(timeline.jobs[1].tail_seconds == 10);
  CHECK(timeline.lane_seconds == 40);
  CHECK(timeline.seconds == 15);
}
