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

// How the ranks of this one machine are seen as nodes.
enum class Nodes { one, one_a_rank, two };

Communicator make_node(const Communicator& world, Nodes nodes) {
  if (nodes == Nodes::one) return world.split_by_node();
  return world.split(nodes == Nodes::one_a_rank ? world.rank() : world.rank() % 2);
}

void sleep_ms(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

// A run as the program does it: lanes claim in threads, the main thread serves until all ranks are through.
// `work(lane, range)` does a claim. Returns the claims of this rank's lanes.
using Work = std::function<void(int, const IndexRange&)>;
std::vector<std::vector<IndexRange>> run_lanes(WorkSource& source, int lanes, const Communicator& world,
                                               const Work& work) {
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
  while (running > 0) sleep_ms(1e3 * std::min(source.service(), 1e-3));
  for (std::thread& thread : threads) thread.join();
  world.patient_barrier([&](double) { return source.service(); });
  return claims;
}

std::vector<IndexRange> flatten(const std::vector<std::vector<IndexRange>>& claims) {
  std::vector<IndexRange> all;
  for (const auto& lane : claims) all.insert(all.end(), lane.begin(), lane.end());
  return all;
}

// Iterations that were not handed out exactly once, on rank 0; 0 elsewhere. Collective.
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

// Serves until rank 0 knows of all `total` iterations, or for two minutes. Collective.
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
  return nodes == Nodes::one ? "one node" : nodes == Nodes::two ? "two nodes" : "a node a rank";
}

}  // namespace

TEST_CASE("every iteration is handed out exactly once, and counted") {
  const Communicator world = Communicator::world();
  const int lanes = 1 + world.rank() % 3;  // uneven
  for (const Nodes nodes : {Nodes::one, Nodes::one_a_rank, Nodes::two}) {
    const Communicator node = make_node(world, nodes);
    for (const PartitionKind kind : all_kinds) {
      for (const std::int64_t total : {0, 1, 3, 1000, 100000}) {
        INFO(name_of(nodes) << ", kind " << static_cast<int>(kind) << ", total " << total);
        WorkSource source(kind, total, lanes, world, node);
        const auto claims = flatten(run_lanes(source, lanes, world, [](int, const IndexRange&) {}));
        CHECK(wrongly_handed_out(claims, total, world) == 0);
        if (total != 3 && total != 100000) continue;  // waiting for the counts takes a while
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

TEST_CASE("iterations of uneven length, too, and asked for only when needed, are handed out once") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_a_rank);
  for (const PartitionKind kind : {PartitionKind::self, PartitionKind::factoring, PartitionKind::weighted_factoring}) {
    WorkSource source(kind, 60, 2, world, node);
    const Work work = [](int, const IndexRange& range) {
      for (std::int64_t i = range.begin; i < range.end; ++i) sleep_ms(i % 7 == 0 ? 30 : 1);
    };
    CHECK(wrongly_handed_out(flatten(run_lanes(source, 2, world, work)), 60, world) == 0);
  }
}

TEST_CASE("guided and factoring claim by their rule on one node") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one);
  for (const PartitionKind kind : {PartitionKind::guided, PartitionKind::factoring}) {
    WorkSource source(kind, 1000, 2, world, node);
    std::vector<IndexRange> claims =
        world.gather(flatten(run_lanes(source, 2, world, [](int, const IndexRange&) { sleep_ms(1); })));
    if (!world.is_root()) continue;
    std::int64_t wrong = 0;
    for (const IndexRange& claim : claims)
      wrong += claim.count() != chunk_size(kind, 1000, claim.begin, 2 * world.size(), 1);
    CHECK(wrong == 0);
  }
}

TEST_CASE("a stop on one rank reaches every node") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_a_rank);
  for (const PartitionKind kind : all_kinds) {
    WorkSource source(kind, 1000, 1, world, node);
    if (world.rank() == world.size() - 1) source.stop();
    for (int wait = 0; world.maximum(std::int64_t{!source.is_stopped()}) && wait < 120000; ++wait) {
      source.service();
      sleep_ms(1);
    }
    CHECK(source.is_stopped());
    CHECK(source.claim(0).empty());
  }
}

TEST_CASE("stop ends the claims, without a hang, and what was claimed is counted") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_a_rank}) {
    const Communicator node = make_node(world, nodes);
    for (const PartitionKind kind : all_kinds) {
      WorkSource source(kind, 1000000, 2, world, node);
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

TEST_CASE("a lane without work sleeps until a range is added, or the source is stopped") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_a_rank);
  for (const bool stopped : {false, true}) {
    WorkSource source(PartitionKind::self, world.size(), 1, world, node);
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

TEST_CASE("a node that is silent is noticed, and can be waited for no longer") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const Communicator node = make_node(world, Nodes::one_a_rank);
  WorkSource source(PartitionKind::factoring, 1000, 1, world, node, 2);
  const bool silent = world.rank() == (world.size() % 2 == 0 ? world.size() - 1 : 0);
  std::string message;
  if (!silent) {
    try {
      for (;;) sleep_ms(1e3 * source.service());
    } catch (const ConnectionLost& error) {
      message = error.what();
    }
  }
  world.barrier();  // answers nobody
  CHECK((silent || message.find("has not answered for 2 s") != std::string::npos));
  CHECK(source.is_stopped() != silent);
  if (!silent) CHECK_NOTHROW(source.service());
}

TEST_CASE("a rank that does not come to the end is noticed, and its host named") {
  const Communicator world = Communicator::world(), others = Communicator::world();
  if (world.size() < 3) return;
  const Communicator node = world.split(world.is_root() ? 0 : 1);
  WorkSource source(PartitionKind::factoring, 0, 1, world, node, 2);
  source.end_lanes();
  const bool is_late = world.rank() == world.size() - 1;
  if (!is_late) {
    const std::string host = node.is_root() ? "host '" + MpiSession::host_name() + "'" : "another host";
    CHECK_THROWS_WITH(source.leave(), host + " has not answered for 2 s (run.network_timeout is 2 s)");
  }
  others.barrier();
  if (is_late) world.patient_barrier(without_limit());  // the one that the others have given up
}

TEST_CASE("a source that was never used, or only by some, ends") {
  const Communicator world = Communicator::world();
  const Communicator node = make_node(world, Nodes::one_a_rank);
  for (const PartitionKind kind : all_kinds) {
    { const WorkSource unused(kind, 1000, 1, world, node); }
    WorkSource source(kind, 1000, 1, world, node);
    if (world.rank() == world.size() - 1) source.stop();
    const auto claims = flatten(run_lanes(source, 1, world, [](int, const IndexRange&) {}));
    if (world.rank() == world.size() - 1) CHECK(claims.empty());
  }
}

TEST_CASE("weighted factoring weighs the lanes of a node by what they reported") {
  const Communicator self = Communicator::self();
  WorkSource source(PartitionKind::weighted_factoring, 10000, 2, self, self);
  CHECK(source.claim(0) == IndexRange{0, 2500});
  CHECK(source.claim(1) == IndexRange{2500, 5000});
  source.report(0, 2500, 1.0);
  source.report(1, 2500, 4.0);
  sleep_ms(20);  // speeds are measured now and then
  source.service();
  // Half of the rest for two is 1250 each; 2500/s and 625/s against their mean are 1.6 and 0.4.
  CHECK(source.claim(0) == IndexRange{5000, 7000});
  CHECK(source.claim(1) == IndexRange{7000, 7500});
  CHECK(source.finished_count() == 5000);
}

TEST_CASE("weighted factoring gives slow lanes less") {
  const Communicator world = Communicator::world();
  for (const Nodes nodes : {Nodes::one, Nodes::one_a_rank}) {
    const Communicator node = make_node(world, nodes);
    WorkSource source(PartitionKind::weighted_factoring, 4000, 1, world, node);
    const bool slow = world.rank() == world.size() - 1;
    const auto claims = flatten(run_lanes(source, 1, world, [&](int, const IndexRange& range) {
      sleep_ms((slow ? 0.8 : 0.1) * static_cast<double>(range.count()));
    }));
    std::int64_t count = 0;
    for (const IndexRange& range : claims) count += range.count();
    const std::int64_t most = world.maximum(slow ? 0 : count);
    // The first batch is weighed evenly: it gives the slow lane 1/8 of 4000 at four ranks, 1/4 at two. After that it
    // gets an eighth of what a fast one does; a half is a generous bound for a busy machine.
    const std::int64_t least = world.maximum(slow ? count : 0);
    if (world.size() > 1) CHECK(2 * least < most);
    CHECK(wrongly_handed_out(claims, 4000, world) == 0);
  }
}
