// SPDX-License-Identifier: MIT
#include "parallel/partition/range_dispenser.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

#include "parallel/partition/leader_schedule.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Nodes of equal size that count accesses to them.
class CountedNodes {
 public:
  CountedNodes(std::size_t count, std::int64_t lanes) : nodes_(count) {
    for (NodeState& node : nodes_) node.lanes = lanes;
  }
  std::size_t size() const { return nodes_.size(); }
  NodeState& operator[](std::size_t index) { return ++*accesses_, nodes_[index]; }
  const NodeState& operator[](std::size_t index) const { return ++*accesses_, nodes_[index]; }
  std::shared_ptr<const std::int64_t> accesses() const { return accesses_; }

 private:
  std::vector<NodeState> nodes_;
  std::shared_ptr<std::int64_t> accesses_ = std::make_shared<std::int64_t>(0);
};

const std::vector<PartitionKind> dynamic_kinds = {PartitionKind::self, PartitionKind::guided, PartitionKind::factoring,
                                                  PartitionKind::weighted_factoring};

NodeReport question(std::int64_t wanted, double lane_rate = 0) {
  NodeReport report;
  report.wanted = wanted;
  report.lane_rate = lane_rate;
  return report;
}

// The mean number of accesses to nodes per request, over a few requests of each node.
double accesses_per_question(PartitionKind kind, std::size_t node_count) {
  constexpr std::int64_t lanes = 4, turns = 3;
  CountedNodes nodes(node_count, lanes);
  const auto accesses = nodes.accesses();
  const auto count = static_cast<std::int64_t>(node_count);
  RangeDispenser dispenser(kind, 1000 * lanes * count, lanes * count, std::move(nodes));
  for (std::int64_t turn = 0; turn < turns; ++turn)
    for (std::size_t node = 0; node < node_count; ++node) {
      dispenser.answer(node, question(lanes, 1.0 + static_cast<double>(node % 3)), 0.1 * static_cast<double>(turn));
      CHECK(dispenser.expects_requests());
      CHECK_FALSE(dispenser.others_have_left());
    }
  return static_cast<double>(*accesses) / static_cast<double>(turns * count);
}

// Simulates a node's shared memory, with the members of NodePool that LeaderSchedule uses.
struct SimulatedNode {
  struct Range {
    std::int64_t total = 0, taken = 0;
  };
  std::int64_t lanes = 0;
  std::vector<Range> ranges;
  std::int64_t waiting = 0, done = 0;
  bool closed = false;
  double rate = 0;

  bool is_closed() const { return closed; }
  bool is_stopped() const { return false; }
  bool is_search_over() const { return false; }
  bool is_empty() const { return ranges.empty(); }
  bool has_empty_slot() const { return ranges.size() < 2; }
  std::int64_t waiting_lanes() const { return waiting; }
  std::int64_t finished() const { return done; }
  double lowest_cost() const { return 0; }
  bool lanes_ended() const { return closed && ranges.empty() && waiting == lanes; }
  double measure() const { return rate; }
};

// The number of requests of each node for `iterations` per lane. An iteration lasts `seconds`, plus or minus at most
// the fraction `spread`. Messages take no time. Checks that each iteration is handed out once.
std::vector<std::int64_t> simulate(PartitionKind kind, std::int64_t node_count, std::int64_t lanes,
                                   std::int64_t iterations, double seconds, double spread) {
  std::minstd_rand random;
  std::uniform_real_distribution<double> factor(1 - spread, 1 + spread);
  const std::int64_t workers = node_count * lanes, total = workers * iterations;
  std::vector<NodeState> states(static_cast<std::size_t>(node_count));
  for (NodeState& state : states) state.lanes = lanes;
  RangeDispenser<> dispenser(kind, total, workers, states);
  std::vector<SimulatedNode> nodes(states.size());
  std::vector<LeaderSchedule> schedules(states.size(),
                                        LeaderSchedule(kind, total, lanes, workers, ReportPeriods(node_count, 60)));
  std::vector<std::int64_t> questions(states.size());
  using Event = std::tuple<double, std::size_t, std::int64_t>;  // time, node, iterations done by a lane
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    nodes[node].lanes = lanes;
    for (std::int64_t lane = 0; lane < lanes; ++lane) events.push({1e-3, node, 0});
  }
  std::int64_t handed_out = 0;
  while (!events.empty()) {
    const auto [now, index, count] = events.top();
    events.pop();
    SimulatedNode& node = nodes[index];
    node.done += count;
    if (count > 0) node.rate = 1 / seconds;
    ++node.waiting;
    // Lanes that finish at the same time wait together, as they do for a leader that polls.
    if (!events.empty() && std::get<0>(events.top()) == now && std::get<1>(events.top()) == index) continue;
    for (;;) {
      while (node.waiting > 0 && !node.ranges.empty()) {
        SimulatedNode::Range& range = node.ranges.front();
        const std::int64_t size = chunk_size(kind, range.total, range.taken, lanes, 1);
        handed_out += size;
        range.taken += size;
        if (range.taken == range.total) node.ranges.erase(node.ranges.begin());
        --node.waiting;
        events.push({now + seconds * factor(random) * static_cast<double>(size), index, size});
      }
      const auto report = schedules[index].due(node, now);
      if (!report) break;
      if (report->wanted > 0) ++questions[index];
      const RangeGrant granted = dispenser.answer(index, *report, now);
      schedules[index].accept(granted.range);
      if (!granted.range.empty()) node.ranges.push_back({granted.range.count(), 0});
      node.closed |= granted.exhausted;
    }
  }
  CHECK(handed_out == total);
  return questions;
}

std::int64_t batches_of(std::int64_t total, std::int64_t workers) {
  std::int64_t batches = 0;
  for (std::int64_t taken = 0; taken < total; ++batches)
    taken += workers * chunk_size(PartitionKind::factoring, total, taken, workers, 1);
  return batches;
}

}  // namespace

TEST_CASE("the cost of a request on rank 0 is independent of the number of nodes") {
  for (const PartitionKind kind : dynamic_kinds) {
    INFO("kind " << static_cast<int>(kind));
    const double few = accesses_per_question(kind, 8);
    CHECK(few > 0);
    CHECK(accesses_per_question(kind, 8192) == few);
  }
}

TEST_CASE("with factoring, a node sends at most two more requests than there are batches") {
  struct Times {
    double seconds, spread;
    bool are_even;  // nodes get equal ranges; a node that requests early gets larger ranges and sends fewer requests
  };
  for (const std::int64_t nodes : {2, 7, 64}) {
    for (const std::int64_t lanes : {1, 4, 64}) {
      for (const std::int64_t iterations : {1, 20, 200}) {
        for (const Times& times :
             {Times{1e-5, 0, false}, {1e-5, 0.5, false}, {1e-2, 0, true}, {1e-2, 0.5, false}, {1, 0, true}}) {
          INFO(nodes << " nodes, " << lanes << " lanes, " << iterations << " iterations of " << times.seconds
                     << " s, +- " << times.spread);
          const std::int64_t batches = batches_of(nodes * lanes * iterations, nodes * lanes);
          const auto questions =
              simulate(PartitionKind::factoring, nodes, lanes, iterations, times.seconds, times.spread);
          CHECK(std::accumulate(questions.begin(), questions.end(), std::int64_t{0}) <= nodes * (batches + 2));
          if (times.are_even) CHECK(*std::max_element(questions.begin(), questions.end()) <= batches + 2);
        }
      }
    }
  }
}

TEST_CASE("all rules hand out each iteration once to nodes that follow LeaderSchedule") {
  for (const PartitionKind kind : dynamic_kinds)
    for (const double seconds : {1e-4, 0.1}) simulate(kind, 5, 3, 50, seconds, 0.5);
}

TEST_CASE("the weight of a node is its speed relative to the mean of the known speeds") {
  RangeDispenser<> dispenser(PartitionKind::weighted_factoring, 16000, 16, std::vector<NodeState>(2, [] {
                               NodeState node;
                               node.lanes = 8;
                               return node;
                             }()));
  const auto count = [&](std::size_t node, double rate) {
    return dispenser.answer(node, question(8, rate), 0).range.count();
  };
  CHECK(count(0, 0) == 4000);  // half of 16000 for two nodes
  CHECK(count(1, 2) == 4000);  // the only known speed
  CHECK(count(0, 6) == 3000);  // 6 against a mean of 4
  CHECK(count(1, 2) == 1000);
  CHECK(count(0, 6) > 2 * count(1, 2));
}

TEST_CASE("added ranges follow the pool, at most one iteration per wanted lane, until the dispenser is closed") {
  RangeDispenser<> dispenser(PartitionKind::factoring, 2, 4,
                             std::vector<NodeState>(2,
                                                    [] {
                                                      NodeState node;
                                                      node.lanes = 2;
                                                      return node;
                                                    }()),
                             true);
  NodeReport request, news;
  request.wanted = 2;
  const auto ask = [&](std::size_t node) { return dispenser.answer(node, request, 0); };
  dispenser.add({7, 10});
  CHECK(ask(0).range == IndexRange{0, 2});
  CHECK(ask(1).range == IndexRange{7, 9});
  CHECK_FALSE(dispenser.is_short());
  CHECK(ask(0).range == IndexRange{9, 10});
  CHECK_FALSE(dispenser.is_short());  // no request was in vain so far
  CHECK(dispenser.answer(1, news, 0).range.empty());
  CHECK_FALSE(dispenser.is_short());
  RangeGrant nothing = ask(1);
  CHECK((nothing.range.empty() && !nothing.exhausted));
  CHECK(dispenser.is_short());
  dispenser.add({2, 3});
  CHECK_FALSE(dispenser.is_short());
  CHECK(ask(0).range == IndexRange{2, 3});
  CHECK(dispenser.is_short());  // node 1 still waits
  dispenser.add({4, 5});
  CHECK(ask(1).range == IndexRange{4, 5});
  CHECK_FALSE(dispenser.is_short());
  dispenser.add({5, 6});
  CHECK_FALSE(dispenser.answer(1, news, 0).exhausted);
  dispenser.close();  // drops the last range
  CHECK(ask(1).range.empty());
  CHECK(dispenser.answer(0, news, 0).exhausted);
}

TEST_CASE("most_silent finds the node that was silent longest and ignores nodes that left") {
  RangeDispenser<> dispenser(PartitionKind::self, 10, 4, std::vector<NodeState>(4));
  dispenser.answer(1, {}, 5);
  dispenser.answer(2, {}, 3);
  dispenser.answer(3, {}, 4);
  CHECK(dispenser.most_silent() == std::pair<std::size_t, double>(2, 3));
  NodeReport last;
  last.leaving = true;
  dispenser.answer(2, last, 6);
  CHECK(dispenser.most_silent() == std::pair<std::size_t, double>(3, 4));
  dispenser.answer(1, last, 7);
  CHECK_FALSE(dispenser.others_have_left());
  dispenser.answer(3, last, 7);
  CHECK(dispenser.others_have_left());
  CHECK_FALSE(dispenser.most_silent());
}
