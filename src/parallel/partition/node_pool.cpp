// SPDX-License-Identifier: MIT
#include "parallel/partition/node_pool.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "core/event_count.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "processes share these, so a lock would not protect them");
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

constexpr std::size_t cache_line = 64;
constexpr auto longest_sleep = std::chrono::seconds(10);

constexpr std::uint64_t pack(std::int64_t next, std::int64_t end) {
  return static_cast<std::uint64_t>(next) << 32 | static_cast<std::uint64_t>(end);
}

constexpr IndexRange unpack(std::uint64_t word) {
  return {static_cast<std::int64_t>(word >> 32), static_cast<std::int64_t>(word & 0xffffffffu)};
}

std::int64_t sum_of_first(const std::vector<std::int64_t>& values, int count) {
  return std::accumulate(values.begin(), values.begin() + count, std::int64_t{0});
}

}  // namespace

struct alignas(cache_line) NodePool::Slot {
  std::atomic<std::uint64_t> remaining{0};  // next and end, packed; changes are sequentially consistent
  std::atomic<std::int64_t> begin{0};       // first iteration of the range; written before `remaining`
};

struct NodePool::Board {
  Slot slots[2];
  alignas(cache_line) std::atomic<bool> closed{false};
  std::atomic<bool> stopped{false};
  std::atomic<bool> search_over{false};
  std::atomic<bool> failed{false};
  std::atomic<bool> abandoned{false};
  std::atomic<double> mean_rate{0};
  std::atomic<std::int64_t> waiting{0};
  std::atomic<std::int64_t> ended{0};
  alignas(cache_line) EventCount changed;  // advanced when a range was added or the pool was closed or stopped
};

// Only its own lane writes to a Worker, so each has its own cache line.
struct alignas(cache_line) NodePool::Worker {
  std::atomic<std::int64_t> done{0};
  std::atomic<std::int64_t> busy_nanoseconds{0};
  std::atomic<std::int64_t> static_claims{0};
  std::atomic<double> lowest_cost{std::numeric_limits<double>::infinity()};

  // Returns iterations per second, or 0 while unknown.
  double rate() const {
    const auto nanoseconds = static_cast<double>(busy_nanoseconds.load(std::memory_order_relaxed));
    const auto count = static_cast<double>(done.load(std::memory_order_relaxed));
    return nanoseconds > 0 ? 1e9 * count / nanoseconds : 0;
  }
};

NodePool::NodePool(int lanes, const Communicator& node)
    : node_(node),
      own_lanes_(lanes),
      lanes_(node.sum(lanes)),
      first_lane_(sum_of_first(node.all_gather(std::vector<std::int64_t>{lanes}), node.rank())),
      memory_(node, sizeof(Board) + sizeof(Worker) * static_cast<std::size_t>(lanes_)),
      board_(reinterpret_cast<Board*>(memory_.data())),
      workers_(reinterpret_cast<Worker*>(memory_.data() + sizeof(Board))) {
  assert(lanes >= 1);
  static_assert(sizeof(Board) % alignof(Worker) == 0);
  begin(kind_);
}

void NodePool::begin(PartitionKind kind) {
  kind_ = kind;
  if (node_.is_root()) {
    new (board_) Board;
    for (std::int64_t worker = 0; worker < lanes_; ++worker) new (workers_ + worker) Worker;
  }
  memory_.synchronize();
}

NodePool::Worker& NodePool::worker_of(int lane) const {
  assert(lane >= 0 && first_lane_ + lane < lanes_);
  return workers_[first_lane_ + lane];
}

IndexRange NodePool::claim(int lane, std::int64_t at_once) {
  assert(is_dynamic(kind_));
  if (const auto claimed = try_claim(lane, at_once)) return *claimed;
  board_->waiting.fetch_add(1, std::memory_order_relaxed);
  std::optional<IndexRange> claimed;
  while (!board_->changed.wait_for(longest_sleep, [&] { return (claimed = try_claim(lane, at_once)).has_value(); }))
    continue;
  board_->waiting.fetch_sub(1, std::memory_order_relaxed);
  return *claimed;
}

IndexRange NodePool::claim_if_ready(int lane, std::int64_t at_once) {
  return try_claim(lane, at_once).value_or(IndexRange{});
}

std::optional<IndexRange> NodePool::try_claim(int lane, std::int64_t at_once) {
  if (is_stopped()) return IndexRange{};
  const bool closed = is_closed();  // read before the slots, which are not filled after closing
  const double weight = weight_of(worker_of(lane));
  for (Slot* slot : slots_in_order()) {
    const IndexRange claimed = claim_from(*slot, weight, at_once);
    if (!claimed.empty()) return claimed;
  }
  return closed ? std::optional(IndexRange{}) : std::nullopt;
}

// The slot with the first iterations comes first, so that one that is filled again and again does not keep lanes from
// the other one.
std::array<NodePool::Slot*, 2> NodePool::slots_in_order() const {
  std::array<Slot*, 2> order = {&board_->slots[0], &board_->slots[1]};
  if (unpack(order[1]->remaining.load()).begin < unpack(order[0]->remaining.load()).begin)
    std::swap(order[0], order[1]);
  return order;
}

IndexRange NodePool::claim_from(Slot& slot, double weight, std::int64_t at_once) const {
  std::uint64_t word = slot.remaining.load();
  for (;;) {
    const IndexRange remaining = unpack(word);
    if (remaining.empty()) return {};
    const std::int64_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin > remaining.begin) {  // the slot was emptied and refilled after `word` was read
      word = slot.remaining.load();
      continue;
    }
    const std::int64_t size =
        chunk_size(kind_, remaining.end - begin, remaining.begin - begin, lanes_, weight, at_once);
    const IndexRange claimed{remaining.begin, remaining.begin + size};
    if (slot.remaining.compare_exchange_weak(word, pack(claimed.end, remaining.end), std::memory_order_acq_rel,
                                             std::memory_order_acquire))
      return claimed;
  }
}

double NodePool::weight_of(const Worker& worker) const {
  if (kind_ != PartitionKind::weighted_factoring) return 1;
  const double mean = board_->mean_rate.load(std::memory_order_relaxed);
  const double rate = worker.rate();
  return mean > 0 && rate > 0 ? rate / mean : 1;
}

std::int64_t NodePool::next_static_claim(int lane) {
  return worker_of(lane).static_claims.fetch_add(1, std::memory_order_relaxed);
}

void NodePool::report(int lane, std::int64_t count, double seconds, double lowest_cost) {
  Worker& worker = worker_of(lane);
  if (lowest_cost < worker.lowest_cost.load(std::memory_order_relaxed))
    worker.lowest_cost.store(lowest_cost, std::memory_order_relaxed);
  worker.busy_nanoseconds.fetch_add(static_cast<std::int64_t>(1e9 * seconds), std::memory_order_relaxed);
  worker.done.fetch_add(count, std::memory_order_release);
}

std::int64_t NodePool::finished() const {
  std::int64_t sum = 0;
  for (std::int64_t worker = 0; worker < lanes_; ++worker) sum += workers_[worker].done.load(std::memory_order_acquire);
  return sum;
}

double NodePool::lowest_cost() const {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::int64_t worker = 0; worker < lanes_; ++worker)
    lowest = std::min(lowest, workers_[worker].lowest_cost.load(std::memory_order_relaxed));
  return lowest;
}

double NodePool::measure() {
  double sum = 0;
  std::int64_t measured = 0;
  for (std::int64_t worker = 0; worker < lanes_; ++worker) {
    const double rate = workers_[worker].rate();
    sum += rate;
    measured += rate > 0;
  }
  const double mean = measured > 0 ? sum / static_cast<double>(measured) : 0;
  board_->mean_rate.store(mean, std::memory_order_relaxed);
  return mean;
}

bool NodePool::has_empty_slot() const {
  for (const Slot& slot : board_->slots)
    if (unpack(slot.remaining.load(std::memory_order_relaxed)).empty()) return true;
  return false;
}

bool NodePool::is_empty() const {
  for (const Slot& slot : board_->slots)
    if (!unpack(slot.remaining.load(std::memory_order_relaxed)).empty()) return false;
  return true;
}

std::int64_t NodePool::waiting_lanes() const {
  return board_->waiting.load(std::memory_order_relaxed);
}

void NodePool::add(const IndexRange& range) {
  assert(range.begin >= 0 && range.end <= max_iterations);
  if (range.empty()) return;
  for (Slot& slot : board_->slots) {
    if (!unpack(slot.remaining.load(std::memory_order_acquire)).empty()) continue;
    slot.begin.store(range.begin, std::memory_order_release);
    slot.remaining.store(pack(range.begin, range.end));
    board_->changed.advance();
    return;
  }
  assert(false && "add() needs an empty slot");
}

void NodePool::close() {
  board_->closed.store(true);
  board_->changed.advance();
}

bool NodePool::is_closed() const {
  return board_->closed.load();
}

void NodePool::stop() {
  if (!board_->stopped.exchange(true)) board_->changed.advance();
}

bool NodePool::is_stopped() const {
  return board_->stopped.load();
}

void NodePool::end_search() {
  board_->search_over.store(true);
}

bool NodePool::is_search_over() const {
  return board_->search_over.load();
}

void NodePool::end_lanes() {
  board_->ended.fetch_add(own_lanes_);
}

bool NodePool::lanes_ended() const {
  return board_->ended.load() == lanes_;
}

void NodePool::abandon() {
  board_->abandoned.store(true);
}

bool NodePool::is_abandoned() const {
  return board_->abandoned.load(std::memory_order_relaxed);
}

bool NodePool::is_first_failure() {
  return !board_->failed.exchange(true);
}

}  // namespace sheaf
