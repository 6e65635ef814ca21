// SPDX-License-Identifier: MIT
#include "parallel/partition/leader_schedule.hpp"

#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

struct FakePool {
  bool closed = false, stopped = false, search_over = false, ended = false;
  std::int64_t slots = 0, waiting = 0, done = 0;
  double rate = 0;

  bool is_closed() const { return closed; }
  bool is_stopped() const { return stopped; }
  bool is_search_over() const { return search_over; }
  bool is_empty() const { return slots == 0; }
  bool has_empty_slot() const { return slots < 2; }
  std::int64_t waiting_lanes() const { return waiting; }
  std::int64_t finished() const { return done; }
  double lowest_cost() const { return 0.25; }
  bool lanes_ended() const { return ended; }
  double measure() const { return rate; }
};

LeaderSchedule schedule_of(std::int64_t nodes = 2, double timeout_seconds = 60) {
  return {PartitionKind::factoring, 1000, 8, 8 * nodes, ReportPeriods(nodes, timeout_seconds)};
}

// The number of reports in `seconds`. The pool does not change, except that with `news` iterations finish.
std::int64_t reports_in(double seconds, LeaderSchedule& schedule, FakePool& pool, bool news) {
  std::int64_t reports = 0;
  for (double now = 0; now < seconds; now += 1e-3) {
    pool.done += news;
    reports += schedule.due(pool, now).has_value();
  }
  return reports;
}

}  // namespace

TEST_CASE("all nodes together send at most ten thousand reports per second") {
  for (const std::int64_t nodes : {2, 100, 10000}) {
    FakePool pool;
    pool.slots = 2;
    auto schedule = schedule_of(nodes);
    const auto seconds = 100.0;
    CHECK(static_cast<double>(nodes * reports_in(seconds, schedule, pool, true)) <= 10000 * seconds);
  }
}

TEST_CASE("a leader reports news ten times per second, without news less often, and rarely after its lanes end") {
  FakePool pool;
  pool.slots = 2;
  auto schedule = schedule_of();
  CHECK(reports_in(10, schedule, pool, true) > 90);
  schedule = schedule_of();
  CHECK(reports_in(10, schedule, pool, false) > 30);
  pool.closed = pool.ended = true;
  pool.slots = 0;
  schedule = schedule_of();
  CHECK(reports_in(20, schedule, pool, false) <= 5);  // the finished iterations, then one every five seconds
  schedule = schedule_of(2, 4);
  CHECK(reports_in(20, schedule, pool, false) >= 18);  // four times within the timeout
}

TEST_CASE("a stop is reported immediately") {
  FakePool pool;
  pool.slots = 2;
  auto schedule = schedule_of();
  CHECK_FALSE(schedule.due(pool, 0.01));
  pool.stopped = pool.search_over = true;
  const auto report = schedule.due(pool, 0.02);
  REQUIRE(report);
  CHECK((report->stopped && report->search_over));
  CHECK(report->wanted == 0);
  CHECK_FALSE(schedule.due(pool, 0.03));
}

TEST_CASE("a leader requests claims for all lanes, or only for waiting lanes if iterations are long") {
  FakePool pool;
  pool.waiting = 3;
  auto schedule = schedule_of();
  CHECK(schedule.due(pool, 0.1)->wanted == 8);
  pool.rate = 1;
  CHECK(schedule.due(pool, 10)->wanted == 3);
  pool.rate = 1000;
  CHECK(schedule.due(pool, 20)->wanted == 8);
}

TEST_CASE("after a request in vain, a leader asks again after a pause that keeps rank 0 free") {
  for (const std::int64_t nodes : {2, 10000}) {
    FakePool pool;
    pool.waiting = 1;
    auto schedule = schedule_of(nodes);
    std::int64_t requests = 0;
    for (double now = 1; now < 11; now += 1e-3) {
      const auto report = schedule.due(pool, now);
      if (!report) continue;
      requests += report->wanted > 0 ? 1 : 0;
      schedule.accept({});  // rank 0 has no iterations now
      CHECK(schedule.pause(pool, now) == idle_pause_seconds);
    }
    CHECK(requests >= (nodes == 2 ? 450 : 9));
    CHECK(requests * nodes <= 10000 * 11);
    REQUIRE(schedule.due(pool, 20));
    schedule.accept({5, 10});
    CHECK(schedule.due(pool, 20.001)->wanted > 0);
  }
}

TEST_CASE("the pause between polls grows with the waiting time") {
  FakePool pool;
  pool.waiting = 1;
  auto schedule = schedule_of();
  REQUIRE(schedule.due(pool, 1));
  CHECK(schedule.pause(pool, 1) == 1e-4);
  CHECK(schedule.pause(pool, 2) == 5e-3);
  CHECK(schedule.pause(pool, 60) == idle_pause_seconds);
  pool.closed = true;
  CHECK(schedule.pause(pool, 1) == idle_pause_seconds);
}
