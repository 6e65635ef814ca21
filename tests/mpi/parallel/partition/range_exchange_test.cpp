// SPDX-License-Identifier: MIT
#include "parallel/partition/range_exchange.hpp"

#include "parallel/partition/chunk_rules.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Sends a request from rank `asking`, which rank 0 answers. Returns the answer on rank `asking`. Collective.
RangeGrant ask(RangeExchange& exchange, const NodeReport& report, int asking, const Communicator& world) {
  if (world.rank() == asking) exchange.send(report);
  RangeGrant answer;
  const auto poll = [&] {
    if (const auto granted = exchange.poll()) answer = *granted;
  };
  while (exchange.is_awaiting_answer()) poll();
  world.patient_barrier([&](double) { return poll(), 1e-5; });
  return answer;
}

void leave(RangeExchange& exchange, const Communicator& world) {
  NodeReport last;
  last.leaving = true;
  if (!world.is_root()) exchange.send(last);
  world.patient_barrier([&](double) { return exchange.poll(), 1e-5; });
  while (!exchange.is_over()) exchange.poll();
}

}  // namespace

TEST_CASE("nodes receive consecutive ranges with sizes by the rule, weighted by their speeds") {
  const Communicator world = Communicator::world();
  const std::int64_t pool = 10000, workers = 2 * world.size();
  RangeExchange exchange(PartitionKind::weighted_factoring, pool, workers, 2, world);
  const auto rate_of = [](int rank) { return rank == 0 ? 1.0 : 3.0; };
  const double mean = (1 + 3.0 * (world.size() - 1)) / world.size();
  NodeReport report;
  report.lane_rate = rate_of(world.rank());
  for (int rank = 0; rank < world.size(); ++rank) {
    const RangeGrant nothing = ask(exchange, report, rank, world);
    CHECK(nothing.range.empty());
    CHECK_FALSE(nothing.exhausted);
  }
  report.wanted = 2;
  std::int64_t taken = 0;
  for (int turn = 0; turn < 2 * world.size(); ++turn) {
    const int rank = turn % world.size();
    const RangeGrant granted = ask(exchange, report, rank, world);
    const std::int64_t expected =
        2 * chunk_size(PartitionKind::weighted_factoring, pool, taken, workers, rate_of(rank) / mean);
    if (world.rank() == rank) CHECK(granted.range == IndexRange{taken, taken + expected});
    taken += expected;
  }
  leave(exchange, world);
}

TEST_CASE("rank 0 receives all counts, every node learns that the pool is exhausted, and no more ranges are granted") {
  const Communicator world = Communicator::world();
  RangeExchange exchange(PartitionKind::self, 3, world.size(), 1, world);
  CHECK(exchange.expects_requests() == world.is_root());
  NodeReport report;
  report.wanted = 1;
  report.finished = 10 + world.rank();
  std::int64_t received = 0;
  for (int turn = 0; turn < 4 * world.size(); ++turn) {
    const RangeGrant granted = ask(exchange, report, turn % world.size(), world);
    received += granted.range.count();
    if (world.rank() == turn % world.size()) CHECK(granted.exhausted == (turn >= 2));
  }
  CHECK(world.sum(received) == 3);
  CHECK_FALSE(exchange.expects_requests());
  const std::int64_t others = world.size() - 1;
  CHECK(exchange.finished_elsewhere() == (world.is_root() ? 10 * others + others * world.size() / 2 : 0));
  leave(exchange, world);
}
