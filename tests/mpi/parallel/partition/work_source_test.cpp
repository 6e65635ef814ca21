// SPDX-License-Identifier: MIT
#include "parallel/partition/work_source.hpp"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "parallel/mpi/session.hpp"
#include "parallel/partition/chunk_rules.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::vector<PartitionKind> all_kinds = {PartitionKind::block,     PartitionKind::cyclic,
                                              PartitionKind::self,      PartitionKind::guided,
                                              PartitionKind::factoring, PartitionKind::weighted_factoring};

// How the ranks of this machine are grouped into simulated nodes.
enum class Nodes { one, one_per_rank, two };

Communicator make_node(const Communicator& world, Nodes nodes) {
  if (nodes == Nodes::one) return world.split_by_node();
  return world.split(nodes == Nodes::one_per_rank ? world.rank() : world.rank() % 2);
}

void sleep_ms(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

// Trains as the program does: lanes claim ranges in threads, and the main thread serves until all ranks are done.
// `work(lane, range)` processes a claim. Returns the claims of this rank's lanes.
// `serve` is called by the main thread again and again.
using Work = std::function<void(int, const IndexRange&)>;
std::vector<std::vector<IndexRange>> run_lanes(
    WorkSource& source, int lanes, const Communicator& world, const Work& work,
    const std::function<void()>& serve = [] {}) {
  std::vector<std::vector<IndexRange>> claims(static_cast<std::size_t>(lanes));
  std::atomic<int> running{lanes};
  std::vector<std::thread> threads;
  for (int lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([&, lane] {
      for (;;) {
        const IndexRange range = source.claim(lane);
        if (range.empty()) break;
        claims[static_cast<std::size_t>(lane)].push_back(range);
        const auto start = std::chrono::steady_clock::now();
        work(lane, range);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        source.report(lane, range.count(), seconds.count());
      }
      --running;
    });
  }
  while (running > 0) {
    serve();
    sleep_ms(1e3 * std::min(source.service(), 1e-3));
  }
  for (std::thread& thread : threads) thread.join();
  world.patient_barrier([&](double) {
    serve();
    return source.service();
  });
  return claims;
}

std::vector<IndexRange> flatten(const std::vector<std::vector<IndexRange>>& claims) {
  std::vector<IndexRange> all;
  for (const auto& lane : claims) all.insert(all.end(), lane.begin(), lane.end());
  return all;
}

// The number of iterations that were not handed out exactly once. 0 on ranks other than 0. Collective.
std::int64_t wrongly_handed_out(const std::vector<IndexRange>& claims, std::int64_t total, const Communicator& world) {
  std::vector<int> seen(static_cast<std::size_t>(total));
  std::int64_t wrong = 0;
  for (const IndexRange& range : world.gather(claims)) {
    for (std::int64_t i = range.begin; i < range.end; ++i)
      i >= 0 && i < total ? void(++seen[static_cast<std::size_t>(i)]) : void(++wrong);
  }
  if (world.is_root())
    for (const int count : seen) wrong += count != 1;
  return wrong;
}

// Serves until rank 0 has counted all `total` iterations, for at most two minutes. Collective.
std::int64_t final_count(WorkSource& source, std::int64_t total, const Communicator& world) {
  for (int wait = 0; world.maximum(std::int64_t{world.is_root() && source.finished_count() < total}) && wait < 12000;
       ++wait) {
    for (int call = 0; call < 10; ++call) {
      source.service();
      sleep_ms(1);
    }
  }
  return source.finished_count();
}

std::string name_of(Nodes nodes) {
  return nodes == Nodes::one ? "one node" : nodes == Nodes::two ? "two nodes" : "one node per rank";
}

}  // namespace

TEST_CASE("every iteration is handed out exactly once and counted") {
  const Communicator world = Communicator::world();
  const int lanes = 1 + world.rank() % 3;  // different between ranks
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank, Nodes::two}) {
    const Communicator node = make_node(world, nodes);
    for (const PartitionKind kind : all_kinds) {
      for (const std::int64_t total : {0, 1, 3, 1000, 100000}) {
        INFO(name_of(nodes) << ", kind " << static_cast<int>(kind) << ", total " << total);
        WorkSource source(lanes, world, node);
        source.begin(kind, total);
        const auto claims = flatten(run_lanes(source, lanes, world, [](int, const IndexRange&) {}));
        CHECK(wrongly_handed_out(claims, total, world) == 0);
        if (total != 3 && total != 100000) continue;  // waiting for the counts takes long
        const std::int64_t known = final_count(source, total, world);
        if (world.is_root()) {
          CHECK(known == total);
        } else {
          CHECK(known <= total);
        }
      }
    }
  }
}

TEST_CASE("iterations of uneven length are handed out exactly once when nodes request them only as needed") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_per_rank);
  for (const PartitionKind kind : {PartitionKind::self, PartitionKind::factoring, PartitionKind::weighted_factoring}) {
    WorkSource source(2, world, node);
    source.begin(kind, 60);
    const Work work = [](int, const IndexRange& range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) sleep_ms(i % 7 == 0 ? 30 : 1);
    };
    CHECK(wrongly_handed_out(flatten(run_lanes(source, 2, world, work)), 60, world) == 0);
  }
}

TEST_CASE("guided and factoring claims on one node have the sizes of their rule") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one);
  for (const PartitionKind kind : {PartitionKind::guided, PartitionKind::factoring}) {
    WorkSource source(2, world, node);
    source.begin(kind, 1000);
    std::vector<IndexRange> claims =
        world.gather(flatten(run_lanes(source, 2, world, [](int, const IndexRange&) { sleep_ms(1); })));
    if (!world.is_root()) continue;
    std::int64_t wrong = 0;
    for (const IndexRange& claim : claims)
      wrong += claim.count() != chunk_size(kind, 1000, claim.begin, 2 * world.size(), 1);
    CHECK(wrong == 0);
  }
}

TEST_CASE("iterations are added while lanes train or wait, and each is handed out exactly once") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank, Nodes::two}) {
    const Communicator node = make_node(world, nodes);
    WorkSource source(2, world, node);
    for (const PartitionKind kind : all_kinds) {
      if (!is_dynamic(kind)) continue;
      for (const std::int64_t first : {0, 7}) {  // none at the beginning, and some
        INFO(name_of(nodes) << ", kind " << static_cast<int>(kind) << ", first " << first);
        source.begin(kind, first, MoreWork::may_follow);
        // Not in ascending order, of different lengths; the last ones while others are still waiting.
        std::vector<IndexRange> more = {
            {first + 5, first + 6}, {first, first + 5}, {first + 20, first + 31}, {first + 6, first + 20}};
        std::int64_t rounds = 0;
        const auto claims = run_lanes(
            source, 2, world, [](int, const IndexRange& range) { sleep_ms(static_cast<double>(range.begin % 3)); },
            [&] {
              if (!world.is_root() || source.is_closed()) return;
              if (more.empty()) return source.is_short() ? source.close() : void();
              if (!source.is_short() && ++rounds % 8 != 0) return;
              source.add(more.back());
              more.pop_back();
            });
        CHECK(source.is_closed());
        CHECK(wrongly_handed_out(flatten(claims), first + 31, world) == 0);
        source.end_lanes();
        source.leave();
      }
    }
  }
}

TEST_CASE("iterations that are added again and again are claimed in their order") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one);
  WorkSource source(1, world, node);
  source.begin(PartitionKind::factoring, 0, MoreWork::may_follow);
  if (world.is_root()) {
    for (std::int64_t iteration = 0; iteration < 6; ++iteration) source.add({iteration, iteration + 1});
    for (std::int64_t iteration = 0; iteration < 6; ++iteration) {
      CHECK(source.claim(0).begin == iteration);
      source.service();  // fills the slot of the pool that is empty now
    }
    source.close();
  }
  source.end_lanes();
  source.leave();
}

TEST_CASE("lanes that wait for iterations to be added end when the source is closed or stopped") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank}) {
    const Communicator node = make_node(world, nodes);
    WorkSource source(1, world, node);
    for (const bool stopped : {false, true}) {
      source.begin(PartitionKind::factoring, 0, MoreWork::may_follow);
      std::int64_t rounds = 0;
      const auto claims = run_lanes(
          source, 1, world, [](int, const IndexRange&) {},
          [&] {
            if (!world.is_root() || !source.is_short() || ++rounds != 50) return;
            stopped ? source.stop() : source.close();
          });
      CHECK(flatten(claims).empty());
      CHECK(source.is_stopped() == stopped);
      source.leave();
    }
  }
}

TEST_CASE("a source hands out the work of one stage after another, with counts of their own") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank, Nodes::two}) {
    const Communicator node = make_node(world, nodes);
    WorkSource source(2, world, node);
    CHECK(source.lane_count() == 2 * world.size());
    for (int round = 0; round < 3; ++round) {
      for (const PartitionKind kind : all_kinds) {
        const std::int64_t total = 100 + round;
        source.begin(kind, total);
        if (round == 1 && world.is_root()) source.stop();
        const auto claims = flatten(run_lanes(source, 2, world, [](int, const IndexRange&) {}));
        if (round != 1) CHECK(wrongly_handed_out(claims, total, world) == 0);
        source.end_lanes();
        source.leave();
        if (world.is_root() && round != 1) CHECK(source.finished_count() == total);
      }
    }
  }
}

TEST_CASE("stop on one rank reaches every node") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_per_rank);
  for (const PartitionKind kind : all_kinds) {
    WorkSource source(1, world, node);
    source.begin(kind, 1000);
    if (world.rank() == world.size() - 1) source.stop();
    for (int wait = 0; world.maximum(std::int64_t{!source.is_stopped()}) && wait < 120000; ++wait) {
      source.service();
      sleep_ms(1);
    }
    CHECK(source.is_stopped());
    CHECK(source.claim(0).empty());
  }
}

TEST_CASE("the end of a search reaches every node, with a stop and without, and ends with its work") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank}) {
    const Communicator node = make_node(world, nodes);
    WorkSource source(1, world, node);
    for (const bool stops : {true, false}) {
      source.begin(PartitionKind::factoring, 1000);
      CHECK_FALSE(source.is_search_over());
      world.maximum(std::int64_t{0});  // ranks of a node share it
      if (world.is_root()) source.end_search();
      if (world.is_root() && stops) source.stop();
      const auto has_arrived = [&] { return stops ? source.is_stopped() : source.is_search_over(); };
      for (int wait = 0; world.maximum(std::int64_t{!has_arrived()}) && wait < 120000; ++wait) {
        source.service();
        sleep_ms(1);
      }
      CHECK(source.is_search_over());
      CHECK(source.is_stopped() == stops);
      source.end_lanes();
      source.leave();
    }
  }
}

TEST_CASE("stop ends claiming without a hang, and iterations already claimed are counted") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank}) {
    const Communicator node = make_node(world, nodes);
    for (const PartitionKind kind : all_kinds) {
      WorkSource source(2, world, node);
      source.begin(kind, 1000000);
      std::atomic<std::int64_t> done{0};
      const auto claims = run_lanes(source, 2, world, [&](int, const IndexRange& range) {
        sleep_ms(2);
        done += range.count();
        source.stop();
      });
      CHECK(source.claim(0).empty());
      const std::int64_t all = world.sum(done);
      CHECK(final_count(source, all, world) <= all);
      if (world.is_root()) CHECK(source.finished_count() == all);
      if (kind == PartitionKind::self || kind == PartitionKind::cyclic) CHECK(all < 1000000);
    }
  }
}

TEST_CASE("a lane without work sleeps until a range is added or the source is stopped") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_per_rank);
  for (const bool stopped : {false, true}) {
    WorkSource source(1, world, node);
    source.begin(PartitionKind::self, world.size());
    IndexRange claimed;
    std::int64_t naps = 0;
    std::atomic<bool> running{true};
    std::thread lane([&] {
      rusage before{}, after{};
      getrusage(RUSAGE_THREAD, &before);
      claimed = source.claim(0);
      getrusage(RUSAGE_THREAD, &after);
      naps = after.ru_nvcsw - before.ru_nvcsw;
      running = false;
    });
    sleep_ms(200);
    if (stopped) source.stop();
    while (running) sleep_ms(1e3 * std::min(source.service(), 1e-3));
    lane.join();
    world.patient_barrier([&](double) { return source.service(); });
    if (world.size() > 1) CHECK(claimed.empty() == stopped);
    CHECK(naps < 50);
  }
}

TEST_CASE("a node that does not answer causes ConnectionLost, after which service no longer throws") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const Communicator node = make_node(world, Nodes::one_per_rank);
  WorkSource source(1, world, node, 2);
  source.begin(PartitionKind::factoring, 1000);
  const bool silent = world.rank() == (world.size() % 2 == 0 ? world.size() - 1 : 0);
  std::string message;
  if (!silent) {
    try {
      for (;;) sleep_ms(1e3 * source.service());
    } catch (const ConnectionLost& error) {
      message = error.what();
    }
  }
  world.barrier();  // the silent rank waits here without answering
  CHECK((silent || message.find("has not answered for 2 s") != std::string::npos));
  CHECK(source.is_stopped() != silent);
  if (!silent) CHECK_NOTHROW(source.service());
}

TEST_CASE("a rank that does not reach the end causes ConnectionLost, which names its host") {
  const Communicator world = Communicator::world(), others = Communicator::world();
  if (world.size() < 3) return;
  const Communicator node = world.split(world.is_root() ? 0 : 1);
  WorkSource source(1, world, node, 2);
  source.begin(PartitionKind::factoring, 0);
  source.end_lanes();
  const bool is_late = world.rank() == world.size() - 1;
  if (!is_late) {
    const std::string host = node.is_root() ? "host '" + MpiSession::host_name() + "'" : "another host";
    CHECK_THROWS_WITH(source.leave(), host + " has not answered for 2 s (run.network_timeout is 2 s)");
  }
  others.barrier();
  if (is_late) world.patient_barrier(without_limit());  // matches the barrier that the other ranks gave up
}

TEST_CASE("a work source can be destroyed when no rank or only some ranks used it") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_per_rank);
  for (const PartitionKind kind : all_kinds) {
    { const WorkSource unused(1, world, node); }
    {
      WorkSource unused(1, world, node);
      unused.begin(kind, 1000);
    }
    WorkSource source(1, world, node);
    source.begin(kind, 1000);
    if (world.rank() == world.size() - 1) source.stop();
    const auto claims = flatten(run_lanes(source, 1, world, [](int, const IndexRange&) {}));
    if (world.rank() == world.size() - 1) CHECK(claims.empty());
  }
}

TEST_CASE("weighted factoring weights the lanes of a node by their reported speeds") {
  const Communicator self = Communicator::self();
  WorkSource source(2, self, self);
  source.begin(PartitionKind::weighted_factoring, 10000);
  CHECK(source.claim(0) == IndexRange{0, 2500});
  CHECK(source.claim(1) == IndexRange{2500, 5000});
  source.report(0, 2500, 1.0);
  source.report(1, 2500, 4.0);
  sleep_ms(20);  // speeds are measured at intervals
  source.service();
  // Half of the remaining iterations is 1250 for each of two lanes. Relative to their mean, 2500/s and 625/s are 1.6
  // and 0.4.
  CHECK(source.claim(0) == IndexRange{5000, 7000});
  CHECK(source.claim(1) == IndexRange{7000, 7500});
  CHECK(source.finished_count() == 5000);
}

TEST_CASE("the lowest cost of all lanes of all nodes reaches rank 0") {
  const Communicator world = Communicator::world();
  for (const Communicator& node : {world.split(0), world.split(world.rank())}) {  // one node, and one node per rank
    WorkSource source(2, world, node);
    source.begin(PartitionKind::cyclic, 3 * world.size());
    CHECK(source.lowest_cost() == std::numeric_limits<double>::infinity());
    world.barrier();  // until all ranks have checked
    source.report(0, 1, 0.1, 2.0 - world.rank());
    source.report(1, 1, 0.1);  // an iteration without a cost
    source.report(0, 1, 0.1, 5.0);
    source.end_lanes();
    source.leave();
    if (world.is_root()) CHECK(source.lowest_cost() == 3.0 - world.size());
  }
}

TEST_CASE("weighted factoring gives slow lanes fewer iterations") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_per_rank}) {
    const Communicator node = make_node(world, nodes);
    WorkSource source(1, world, node);
    source.begin(PartitionKind::weighted_factoring, 4000);
    const bool slow = world.rank() == world.size() - 1;
    const auto claims = flatten(run_lanes(source, 1, world, [&](int, const IndexRange& range) {
      sleep_ms((slow ? 0.8 : 0.1) * static_cast<double>(range.count()));
    }));
    std::int64_t count = 0;
    for (const IndexRange& range : claims) count += range.count();
    const std::int64_t fast_count = world.maximum(slow ? 0 : count);
    // The first batch has equal weights: the slow lane gets 1/8 of 4000 with four ranks, 1/4 with two. After that it
    // gets an eighth of a fast lane's iterations. The bound of one half leaves room for a busy machine.
    const std::int64_t slow_count = world.maximum(slow ? count : 0);
    if (world.size() > 1) CHECK(2 * slow_count < fast_count);
    CHECK(wrongly_handed_out(claims, 4000, world) == 0);
  }
}
