// SPDX-License-Identifier: MIT
#include "partition/work_source.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "mpi/agreement.hpp"
#include "mpi/session.hpp"
#include "partition/chunk_rules.hpp"
#include "partition/node_pool.hpp"
#include "partition/range_exchange.hpp"

namespace sheaf {
namespace {

constexpr double prompt_pause_seconds = 100e-6;  // while a lane of some node may wait for it
constexpr double calm_pause_seconds = 1e-3;      // while that happens seldom
constexpr double idle_pause_seconds = 20e-3;     // while only counts and speeds change
constexpr double report_period_seconds = 0.1;    // of counts, when no range is asked for
constexpr double listen_period_seconds = 0.25;   // without news, to hear whether the job stops
constexpr double measure_period_seconds = 10e-3;
constexpr double lasting_seconds = 20e-3;  // a range that lasts as long needs no asking ahead

// A pause that adds at most half a percent to what has lasted `seconds` already.
double pause_for(double seconds) {
  return std::clamp(seconds / 200, prompt_pause_seconds, calm_pause_seconds);
}

}  // namespace

struct WorkSource::State {
  double service();
  double pause() const;
  bool wants_range() const;
  bool should_ask(Clock::time_point now);
  NodeReport next_report(Clock::time_point now);
  void accept(const RangeGrant& grant);
  void leave();

  const PartitionKind kind;
  const std::int64_t total;
  const Communicator& world;
  const bool is_leader;
  const Communicator leaders;  // private, so its messages meet no others; alone where this rank is no leader

  std::int64_t first_worker = 0;  // of this rank among the lanes of all ranks
  std::int64_t workers = 0;
  std::optional<NodePool> pool = std::nullopt;
  std::optional<RangeExchange> exchange = std::nullopt;  // of leaders, when there are several nodes

  // The leader's own books.
  bool leaving = false;
  std::int64_t wanted = 1;
  double lasted_seconds = lasting_seconds;  // between its last two questions for a range; at first, no asking ahead
  std::int64_t reported_finished = 0;
  bool reported_stopped = false;
  std::optional<Clock::time_point> asked_at = std::nullopt;
  Clock::time_point reported_at = Clock::now();
  Clock::time_point measured_at = Clock::now();
};

WorkSource::WorkSource(PartitionKind kind, std::int64_t total, int lanes, const Communicator& world,
                       const Communicator& node)
    : state_(new State{kind, total, world, node.is_root(), world.split(node.is_root() ? 0 : -1)}) {
  assert(total >= 0 && total <= NodePool::most_iterations && lanes >= 1);
  assert(!world.is_root() || node.is_root());
  State& state = *state_;
  const std::vector<std::int64_t> all_lanes = world.all_gather(std::vector<std::int64_t>{lanes});
  state.workers = std::accumulate(all_lanes.begin(), all_lanes.end(), std::int64_t{0});
  state.first_worker = std::accumulate(all_lanes.begin(), all_lanes.begin() + world.rank(), std::int64_t{0});
  agree(world, [&] { state.pool.emplace(kind, lanes, node); });  // collective over the nodes, one by one
  const bool several_nodes = world.sum(state.is_leader ? 1 : 0) > 1;
  if (!state.is_leader) return;
  const std::int64_t shared = is_dynamic(kind) ? total : 0;
  if (several_nodes) {
    state.exchange.emplace(kind, shared, state.workers, state.pool->lanes(), state.leaders);
  } else {
    state.pool->add({0, shared});
  }
  if (!several_nodes || shared == 0) state.pool->close();
}

WorkSource::~WorkSource() {
  if (std::uncaught_exceptions() > 0) return;  // other ranks may never come: the job is about to end
  try {
    state_->leave();
  } catch (const std::exception& error) {
    log_rank("error: " + std::string(error.what()));
    MpiSession::abort(static_cast<int>(ExitCode::failed));
  }
}

IndexRange WorkSource::claim(int lane) {
  if (is_dynamic(state_->kind)) return state_->pool->claim(lane);
  if (state_->pool->is_stopped()) return {};
  return static_claim(state_->kind, state_->total, state_->workers, state_->first_worker + lane,
                      state_->pool->next_static_claim(lane));
}

void WorkSource::report(int lane, std::int64_t count, double seconds) {
  state_->pool->report(lane, count, seconds);
}

double WorkSource::service() {
  return state_->service();
}

std::int64_t WorkSource::finished_count() const {
  return state_->pool->finished() + (state_->exchange ? state_->exchange->finished_elsewhere() : 0);
}

void WorkSource::stop() {
  state_->pool->stop();
}

bool WorkSource::is_stopped() const {
  return state_->pool->is_stopped();
}

bool WorkSource::is_first_failure() {
  return state_->pool->is_first_failure();
}

double WorkSource::State::service() {
  if (!is_leader) return idle_pause_seconds;
  const auto now = Clock::now();
  if (kind == PartitionKind::weighted_factoring && seconds_between(measured_at, now) > measure_period_seconds) {
    pool->measure();
    measured_at = now;
  }
  if (!exchange) return idle_pause_seconds;
  // Twice: rank 0 has its own answer at once and can fill the second slot, too.
  for (int slot = 0; slot < 2; ++slot) {
    if (const auto grant = exchange->poll()) accept(*grant);
    if (!exchange->is_asking() && should_ask(now)) exchange->ask(next_report(now));
  }
  return pause();
}

double WorkSource::State::pause() const {
  double seconds = idle_pause_seconds;
  if (!pool->is_closed() && !pool->is_stopped()) {
    const bool at_once = exchange->is_asking() || !asked_at;
    seconds = at_once ? prompt_pause_seconds : pause_for(seconds_between(*asked_at, Clock::now()));
  }
  if (exchange->may_be_asked()) seconds = std::min(seconds, pause_for(exchange->seconds_since_asked()));
  return seconds;
}

// Short ranges are asked for ahead of need. Long ones are not: what waits in a slot could be done by another node.
bool WorkSource::State::wants_range() const {
  if (leaving || pool->is_closed() || pool->is_stopped()) return false;
  if (lasted_seconds < lasting_seconds) return pool->has_empty_slot();
  return pool->is_empty() && pool->waiting_lanes() > 0;
}

bool WorkSource::State::should_ask(Clock::time_point now) {
  if (leaving) return !leaders.is_root() && !exchange->is_over();
  if (wants_range() || pool->is_stopped() != reported_stopped) return true;
  const double silent = seconds_between(reported_at, now);
  return silent > listen_period_seconds || (silent > report_period_seconds && pool->finished() != reported_finished);
}

NodeReport WorkSource::State::next_report(Clock::time_point now) {
  NodeReport report;
  report.finished = reported_finished = pool->finished();
  report.stopped = reported_stopped = pool->is_stopped();
  report.leaving = leaving;
  if (kind == PartitionKind::weighted_factoring) report.lane_rate = pool->measure();
  if (wants_range()) {
    if (asked_at) lasted_seconds = seconds_between(*asked_at, now);
    const std::int64_t most = kind == PartitionKind::self ? total : pool->lanes();
    report.wanted = wanted = next_wanted(wanted, pool->waiting_lanes(), most, lasted_seconds);
    asked_at = now;
  }
  reported_at = now;
  return report;
}

void WorkSource::State::accept(const RangeGrant& grant) {
  pool->add(grant.range);
  if (kind == PartitionKind::self && !grant.range.empty()) wanted = grant.range.count();
  if (grant.exhausted && !pool->is_closed()) pool->close();
  if (grant.stopped && !pool->is_stopped()) pool->stop();
}

// See range_exchange.hpp: when every leader's last report is answered, no message is on its way. The barrier after it
// keeps the ranks from burning cores in the collective calls that free the shared memory.
void WorkSource::State::leave() {
  leaving = true;
  while (exchange && !exchange->is_over()) {
    service();
    std::this_thread::sleep_for(std::chrono::duration<double>(prompt_pause_seconds));
  }
  world.patient_barrier({}, prompt_pause_seconds);
}

}  // namespace sheaf
