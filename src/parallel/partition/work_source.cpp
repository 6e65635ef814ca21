// SPDX-License-Identifier: MIT
#include "parallel/partition/work_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <exception>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/session.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "parallel/partition/leader_schedule.hpp"
#include "parallel/partition/node_pool.hpp"
#include "parallel/partition/range_exchange.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

constexpr double measure_period_seconds = 10e-3;
constexpr double open_pause_seconds = 1e-3;  // while lanes wait for iterations to be added

}  // namespace

std::string silence_text(const std::string& host, double seconds, double timeout_seconds) {
  return fmt::format("{} has not answered for {:.0f} s (run.network_timeout is {:.0f} s)", host, seconds,
                     timeout_seconds);
}

struct WorkSource::State {
  IndexRange next_static_claim(int lane);
  double service();
  void fill_pool();
  void exchange_reports();
  void check_silence();
  double pause() const;
  double now() const { return seconds_since(start); }
  void accept(const RangeGrant& grant);
  void leave();

  const Communicator& world;
  const bool is_leader;
  const Communicator leaders;  // separate, so that its messages do not mix with others; on non-leaders only this rank
  const double timeout_seconds;

  std::int64_t first_worker = 0;  // number of this rank's first lane among the lanes of all ranks
  std::int64_t workers = 0;
  bool several_nodes = false;
  std::optional<NodePool> pool = std::nullopt;

  // Of the work that was begun last.
  PartitionKind kind = PartitionKind::self;
  std::int64_t total = 0;
  Clock::time_point start = Clock::now();
  Clock::time_point measured_at = start;
  bool lost = false;     // the connection to another node is lost
  bool leaving = false;  // the last report is due or sent
  bool has_left = true;

  // Only on rank 0, and only if it has the only node: iterations that were added, but are not in the pool yet.
  std::deque<IndexRange> added = {};
  bool is_open = false;

  // Only on leaders, and only with several nodes.
  std::optional<RangeExchange> exchange = std::nullopt;
  std::optional<LeaderSchedule> schedule = std::nullopt;
};

WorkSource::WorkSource(int lanes, const Communicator& world, const Communicator& node, double timeout_seconds)
    : state_(new State{world, node.is_root(), world.split(node.is_root() ? 0 : -1), timeout_seconds}) {
  assert(lanes >= 1 && (!world.is_root() || node.is_root()));
  State& state = *state_;
  const std::vector<std::int64_t> all_lanes = world.all_gather(std::vector<std::int64_t>{lanes});
  state.workers = std::accumulate(all_lanes.begin(), all_lanes.end(), std::int64_t{0});
  state.first_worker = std::accumulate(all_lanes.begin(), all_lanes.begin() + world.rank(), std::int64_t{0});
  state.several_nodes = world.sum(state.is_leader ? 1 : 0) > 1;
  agree(world, [&] { state.pool.emplace(lanes, node); });  // collective over each node
}

void WorkSource::begin(PartitionKind kind, std::int64_t total, MoreWork more) {
  State& state = *state_;
  assert(state.has_left && total >= 0 && total <= max_iterations);
  assert(is_dynamic(kind) || more == MoreWork::none);
  state.kind = kind;
  state.total = total;
  state.start = state.measured_at = Clock::now();
  state.leaving = state.has_left = false;
  state.added.clear();
  state.pool->begin(kind);
  if (!state.is_leader) return;
  const std::int64_t shared = is_dynamic(kind) ? total : 0;
  const bool is_open = more == MoreWork::may_follow;
  if (state.several_nodes) {
    state.exchange.emplace(kind, shared, state.workers, state.pool->lanes(), state.leaders, is_open);
    state.schedule.emplace(kind, total, state.pool->lanes(), state.workers,
                           ReportPeriods(state.leaders.size(), state.timeout_seconds));
    if (shared == 0 && !is_open) state.pool->close();
  } else {
    state.is_open = is_open;
    state.pool->add({0, shared});
    if (!is_open) state.pool->close();
  }
}

void WorkSource::add(const IndexRange& iterations) {
  assert(state_->world.is_root() && iterations.begin >= state_->total && iterations.end <= max_iterations);
  if (state_->exchange)
    state_->exchange->dispenser().add(iterations);
  else if (!iterations.empty())
    state_->added.push_back(iterations);
  state_->fill_pool();
}

void WorkSource::close() {
  assert(state_->world.is_root());
  if (state_->exchange) state_->exchange->dispenser().close();
  state_->added.clear();
  state_->is_open = false;
  state_->fill_pool();
}

bool WorkSource::is_short() const {
  if (state_->exchange) return state_->exchange->dispenser().is_short();
  return state_->added.empty() && state_->pool->is_empty() && state_->pool->waiting_lanes() > 0;
}

std::int64_t WorkSource::lane_count() const {
  return state_->workers;
}

WorkSource::~WorkSource() {
  if (std::uncaught_exceptions() > 0 || state_->has_left)
    return;  // during unwinding, other ranks may never call leave()
  try {
    state_->leave();
  } catch (const std::exception& error) {
    log_error(message_of(error));
    MpiSession::abort(static_cast<int>(ExitCode::failed));
  }
}

IndexRange WorkSource::claim(int lane, std::int64_t at_once) {
  return is_dynamic(state_->kind) ? state_->pool->claim(lane, at_once) : state_->next_static_claim(lane);
}

IndexRange WorkSource::claim_if_ready(int lane, std::int64_t at_once) {
  return is_dynamic(state_->kind) ? state_->pool->claim_if_ready(lane, at_once) : state_->next_static_claim(lane);
}

void WorkSource::report(int lane, std::int64_t count, double seconds, double lowest_cost) {
  state_->pool->report(lane, count, seconds, lowest_cost);
}

double WorkSource::service() {
  return state_->service();
}

void WorkSource::end_lanes() {
  state_->pool->end_lanes();
}

void WorkSource::leave() {
  state_->leave();
}

bool WorkSource::is_leader() const {
  return state_->is_leader;
}

std::int64_t WorkSource::finished_count() const {
  return state_->pool->finished() + (state_->exchange ? state_->exchange->finished_elsewhere() : 0);
}

double WorkSource::lowest_cost() const {
  const double own = state_->pool->lowest_cost();
  return state_->exchange ? std::min(own, state_->exchange->lowest_cost_elsewhere()) : own;
}

void WorkSource::stop() {
  state_->pool->stop();
}

bool WorkSource::is_stopped() const {
  return state_->pool->is_stopped();
}

void WorkSource::end_search() {
  state_->pool->end_search();
}

bool WorkSource::is_search_over() const {
  return state_->pool->is_search_over();
}

bool WorkSource::is_closed() const {
  return state_->pool->is_closed();
}

bool WorkSource::is_first_failure() {
  return state_->pool->is_first_failure();
}

IndexRange WorkSource::State::next_static_claim(int lane) {
  if (pool->is_stopped()) return {};
  return static_claim(kind, total, workers, first_worker + lane, pool->next_static_claim(lane));
}

double WorkSource::State::service() {
  if (is_leader && kind == PartitionKind::weighted_factoring && seconds_since(measured_at) > measure_period_seconds) {
    pool->measure();
    measured_at = Clock::now();
  }
  if (exchange)
    exchange_reports();
  else if (is_leader)
    fill_pool();
  if (!lost) check_silence();
  return pause();
}

void WorkSource::State::fill_pool() {
  if (exchange || pool->is_closed()) return;
  for (; !added.empty() && pool->has_empty_slot(); added.pop_front()) pool->add(added.front());
  if (!is_open) pool->close();
}

void WorkSource::State::exchange_reports() {
  // Twice, because rank 0 gets its own answer immediately and can fill the second slot.
  for (int slot = 0; slot < 2; ++slot) {
    if (const auto grant = exchange->poll()) accept(*grant);
    if (exchange->is_awaiting_answer()) return;
    if (leaving) {
      if (!leaders.is_root() && !exchange->is_over()) exchange->send(schedule->last(*pool, now()));
    } else if (const auto report = schedule->due(*pool, now())) {
      exchange->send(*report);
    }
  }
}

// The leader of a node detects a silent host; the other ranks of the node learn of it through the pool.
void WorkSource::State::check_silence() {
  const auto silent = exchange ? exchange->silent_host(timeout_seconds) : std::nullopt;
  if (silent) pool->abandon();
  lost = pool->is_abandoned();
  if (!lost) return;
  pool->stop();
  throw ConnectionLost(silent ? silence_text(fmt::format("host '{}'", silent->name), silent->seconds, timeout_seconds)
                              : silence_text("another host", timeout_seconds, timeout_seconds));
}

double WorkSource::State::pause() const {
  double seconds = idle_pause_seconds;
  if (!exchange) return is_open && pool->waiting_lanes() > 0 ? open_pause_seconds : seconds;
  if (!leaving) seconds = schedule->pause(*pool, now());
  if (exchange->expects_requests()) seconds = std::min(seconds, pause_for(exchange->seconds_since_request()));
  return seconds;
}

void WorkSource::State::accept(const RangeGrant& grant) {
  pool->add(grant.range);
  schedule->accept(grant.range);
  if (grant.exhausted && !pool->is_closed()) pool->close();
  if (grant.search_over) pool->end_search();
  if (grant.stopped && !pool->is_stopped()) pool->stop();
}

// When the last report of every leader is answered, no messages are pending (see range_exchange.hpp). The barrier lets
// ranks sleep; without it, they would wait actively in the collective calls that free the shared memory.
void WorkSource::State::leave() {
  leaving = true;
  const auto serve = [this](double) { return service(); };
  wait_patiently([this] { return !exchange || exchange->is_over(); }, serve);
  const std::string others = exchange ? exchange->other_hosts() : "another host";
  const auto limit = at_most(timeout_seconds, silence_text(others, timeout_seconds, timeout_seconds));
  world.patient_barrier([&](double waited) { return std::min(limit(waited), serve(waited)); });
  has_left = true;
}

}  // namespace sheaf
