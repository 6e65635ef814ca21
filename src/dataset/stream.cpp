// SPDX-License-Identifier: MIT
#include "dataset/stream.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "core/error.hpp"
#include "dataset/feature_reader.hpp"
#include "dataset/resident.hpp"
#include "dataset/storage.hpp"
#include "mpi/agreement.hpp"
#include "mpi/shared_array.hpp"

namespace sheaf {
namespace {

using Clock = std::chrono::steady_clock;

// Who has waited long may be a little late.
constexpr int waited_per_nap = 8;
constexpr std::chrono::nanoseconds shortest_nap{20'000}, longest_nap{10'000'000};

struct Round {
  std::int64_t first_pass = 0;  // counted from the beginning of the stream
  std::int64_t epochs = 0;
};

}  // namespace

struct Stream::State {
  // In shared memory, which begins as zeros.
  struct alignas(64) Counter {
    std::atomic<std::int64_t> value;
  };
  struct Board {
    Counter arrivals;       // lanes that came to a round, in all
    Counter round;          // that is on, from 1
    Counter wanted[2];      // epochs, of the round of that parity
    Counter first_pass[2];  // likewise
    Counter next_block;     // to be read, counted over all passes
    Counter failed;         // a rank cannot read; it ends the job
  };
  struct Slot {
    Counter window;  // that it is for, counted over all passes
    Counter blocks;  // of it that are read
    Counter lanes;   // that are done with it
  };
  using Looked = std::atomic<bool>;  // whether a block's values were found fit for training, once for all passes

  State(const DataOptions& data, const FileSchema& schema, const DataSet& all_targets, const StreamOptions& stream,
        const Communicator& ranks)
      : options(stream),
        shape(row_shape(schema, data.task)),
        targets(all_targets),
        storage(storage_of(stream.plan.window_rows(), shape)),
        node(ranks.split(0)),
        lanes(node.sum(stream.lanes)),
        reader(data, schema),
        memory(node, sizeof(Board) + slots() * (sizeof(Slot) + storage.bytes) +
                         static_cast<std::size_t>(stream.plan.blocks()) * sizeof(Looked)) {
    board = reinterpret_cast<Board*>(memory.data());
    slot_boards = reinterpret_cast<Slot*>(memory.data() + sizeof(Board));
    looked_at = reinterpret_cast<Looked*>(slot_memory(stream.plan.slots));
    if (node.is_root())
      for (std::size_t slot = 0; slot < slots(); ++slot)
        slot_boards[slot].window.value = static_cast<std::int64_t>(slot);
    memory.synchronise();
    for (std::int64_t thread = 0; thread < options.threads; ++thread) threads.emplace_back([this] { run_reader(); });
  }

  ~State() {
    stopping = true;
    for (auto& thread : threads) thread.join();
  }

  std::size_t slots() const { return static_cast<std::size_t>(options.plan.slots); }
  std::byte* slot_memory(std::int64_t slot) const {
    return memory.data() + sizeof(Board) + slots() * sizeof(Slot) + static_cast<std::size_t>(slot) * storage.bytes;
  }
  Slot& slot_of(std::int64_t window) const { return slot_boards[window % options.plan.slots]; }

  // Sleeps until `ready()`, in naps that grow with the time waited; false when the stream is stopped before.
  template <class Ready>
  bool wait(const Ready& ready) const {
    if (ready()) return true;
    const auto start = Clock::now();
    do {
      if (stopping || failed) return false;
      const std::chrono::nanoseconds waited = Clock::now() - start;
      std::this_thread::sleep_for(std::clamp(waited / waited_per_nap, shortest_nap, longest_nap));
    } while (!ready());
    return true;
  }

  void rethrow_failure() {
    const std::lock_guard lock(mutex);
    if (failure) std::rethrow_exception(failure);
    throw RunError("The stream was stopped.");
  }

  Round round_at(std::int64_t number) const {
    return {board->first_pass[number % 2].value.load(), board->wanted[number % 2].value.load()};
  }

  std::int64_t passes_of(const Round& round) const { return pass_count(round.epochs, options.validation); }

  // The pass in the stream's own numbering; false when it is not of the round that is on.
  bool find_pass(std::int64_t number, Pass& pass) const {
    const std::int64_t on = board->round.value.load();
    const Round round = round_at(on);
    if (board->round.value.load() != on || number >= round.first_pass + passes_of(round)) return false;
    pass = pass_at(number - round.first_pass, round.epochs, options.validation);
    return true;
  }

  std::vector<std::int64_t> order_of(const Pass& pass) const {
    return block_order(options.plan.blocks(), pass.training && options.shuffled, options.seed, pass.epoch);
  }

  void run_reader();
  void read_block(std::int64_t block, std::int64_t place, std::byte* to, FeatureReader::Buffers& buffers);

  const StreamOptions options;
  const RowShape shape;
  const DataSet targets;
  const Storage storage;  // of a window
  const Communicator node;
  const std::int64_t lanes;  // of the node
  const FeatureReader reader;
  SharedArray memory;
  Board* board = nullptr;
  Slot* slot_boards = nullptr;
  Looked* looked_at = nullptr;  // [blocks]
  std::atomic<bool> stopping{false}, failed{false};
  std::atomic<std::int64_t> bytes_read{0};
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
};

// Reads block `block` of the file to place `place` of a window, its targets with it.
void Stream::State::read_block(std::int64_t block, std::int64_t place, std::byte* to, FeatureReader::Buffers& buffers) {
  const IndexRange rows = options.plan.rows_of(block);
  const std::int64_t first = place * options.plan.block_rows;
  const StoredArrays arrays = arrays_in(to, storage, shape.task);
  std::byte* features = arrays.features + first * feature_bytes(shape);
  if (looked_at[block]) {
    reader.read_again(rows, features, buffers);
  } else {
    reader.read(rows, features, buffers);
    looked_at[block] = true;
  }
  if (arrays.labels != nullptr)
    std::copy(targets.labels + rows.begin, targets.labels + rows.end, arrays.labels + first);
  if (arrays.targets != nullptr)
    std::copy(targets.targets + rows.begin * shape.target_columns, targets.targets + rows.end * shape.target_columns,
              arrays.targets + first * shape.target_columns);
  if (arrays.weights != nullptr)
    std::copy(targets.weights + rows.begin, targets.weights + rows.end, arrays.weights + first);
  bytes_read += rows.count() * feature_bytes(shape);
}

void Stream::State::run_reader() {
  const StreamPlan& plan = options.plan;
  try {
    FeatureReader::Buffers buffers;
    std::vector<std::int64_t> order;
    std::int64_t ordered_pass = -1;
    for (;;) {
      const std::int64_t task = board->next_block.value.fetch_add(1);
      const std::int64_t number = task / plan.blocks(), place = task % plan.blocks();
      const std::int64_t window = number * plan.windows() + place / plan.window_blocks;
      Slot& slot = slot_of(window);
      Pass pass;
      if (!wait([&] { return find_pass(number, pass); })) return;
      if (!wait([&] { return slot.window.value.load() == window; })) return;
      if (board->failed.value.load() > 0) return;  // one message is enough
      if (ordered_pass != number) order = order_of(pass);
      ordered_pass = number;
      read_block(order[static_cast<std::size_t>(place)], place % plan.window_blocks, slot_memory(window % plan.slots),
                 buffers);
      slot.blocks.value.fetch_add(1);
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    board->failed.value = 1;
    failed = true;
  }
}

Stream::Stream(const DataOptions& data, const FileSchema& schema, const DataSet& targets, const StreamOptions& options,
               const Communicator& node) {
  agree(node, [&] { FeatureReader(data, schema); });  // opens before anything is shared
  state_ = std::make_unique<State>(data, schema, targets, options, node);
}

Stream::~Stream() = default;

const StreamOptions& Stream::options() const {
  return state_->options;
}

std::int64_t Stream::bytes_read() const {
  return state_->bytes_read;
}

std::int64_t StreamLane::begin_round(std::int64_t epochs) {
  using Board = Stream::State::Board;
  assert(!holds_ && next_window_ == end_window_);
  Board& board = *stream_.board;
  const std::int64_t round = round_ + 1;
  auto& wanted = board.wanted[round % 2].value;
  for (std::int64_t known = wanted; known < epochs && !wanted.compare_exchange_weak(known, epochs);) {
  }
  if (board.arrivals.value.fetch_add(1) + 1 == stream_.lanes * round) {  // the last one begins it for all
    const Round before = stream_.round_at(round_);
    board.first_pass[round % 2].value = before.first_pass + stream_.passes_of(before);
    board.wanted[round_ % 2].value = 0;  // of the round after this one
    board.round.value = round;
  }
  if (!stream_.wait([&] { return board.round.value.load() >= round; })) stream_.rethrow_failure();
  const Round now = stream_.round_at(round);
  round_ = round;
  epochs_ = now.epochs;
  first_pass_ = now.first_pass;
  next_window_ = now.first_pass * stream_.options.plan.windows();
  end_window_ = next_window_ + stream_.passes_of(now) * stream_.options.plan.windows();
  return now.epochs;
}

void StreamLane::release() {
  if (!holds_) return;
  holds_ = false;
  const std::int64_t window = next_window_ - 1;
  auto& slot = stream_.slot_of(window);
  if (slot.lanes.value.fetch_add(1) + 1 < stream_.lanes) return;
  slot.blocks.value = 0;
  slot.lanes.value = 0;
  slot.window.value = window + stream_.options.plan.slots;
}

const Window* StreamLane::next() {
  release();
  if (next_window_ == end_window_) return nullptr;
  const StreamPlan& plan = stream_.options.plan;
  const std::int64_t number = next_window_ % plan.windows();
  const Pass pass = pass_at(next_window_ / plan.windows() - first_pass_, epochs_, stream_.options.validation);
  if (number == 0) order_ = stream_.order_of(pass);
  const IndexRange places = plan.blocks_of(number);
  auto& slot = stream_.slot_of(next_window_);
  const auto start = Clock::now();
  const bool is_there = stream_.wait(
      [&] { return slot.window.value.load() == next_window_ && slot.blocks.value.load() == places.count(); });
  waited_ += std::chrono::duration<double>(Clock::now() - start).count();
  if (!is_there) stream_.rethrow_failure();

  window_.pass = pass;
  window_.number = number;
  window_.last = number + 1 == plan.windows();
  window_.blocks.clear();
  for (std::int64_t place = places.begin; place < places.end; ++place)
    window_.blocks.push_back(
        {plan.rows_of(order_[static_cast<std::size_t>(place)]), (place - places.begin) * plan.block_rows});
  window_.data = stream_.targets;
  window_.data.rows = plan.window_rows();
  attach(arrays_in(stream_.slot_memory(next_window_ % plan.slots), stream_.storage, stream_.shape.task), stream_.shape,
         window_.data);
  ++next_window_;
  holds_ = true;
  return &window_;
}

}  // namespace sheaf
