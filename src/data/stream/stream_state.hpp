// The shared state of a stream: rounds, slots and blocks. Used by the reading threads (stream.cpp) and the lanes
// (stream_lane.cpp).
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>

#include "core/error.hpp"
#include "core/event_count.hpp"
#include "core/thread_group.hpp"
#include "data/dataset.hpp"
#include "data/feature_reader.hpp"
#include "data/storage.hpp"
#include "data/stream/stream_plan.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/shared_array.hpp"

namespace sheaf {

inline constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

// The maximum time between checks of conditions that no thread signals, such as should_stop() of a lane.
inline constexpr std::chrono::milliseconds longest_sleep{100};

struct StreamRound {
  std::int64_t first_window = 0;  // counted from the beginning of the stream
  std::int64_t end_window = 0;    // one after the last, counted from the beginning of the stream
  std::int64_t begin = 0;         // the first window, counted from the first pass of the round
  std::int64_t epochs = 0;
};

// Sets `counter` to `value` if it is less.
inline void raise_to(std::atomic<std::int64_t>& counter, std::int64_t value) {
  for (std::int64_t now = counter; now < value && !counter.compare_exchange_weak(now, value);) {
  }
}

struct StreamState {
  // Board and Slot are in shared memory, which is initialized with zeros. Arrays of two have one element per parity of
  // the round's number.
  struct alignas(64) Counter {
    std::atomic<std::int64_t> value;
  };
  struct Board {
    Counter arrivals;               // lanes that have arrived at a round, summed over all rounds
    Counter round;                  // the current round, from 1
    Counter wanted[2];              // epochs of the round
    Counter unneeded[2];            // `endless` minus the first window that any lane needs
    Counter first_window[2];        // first window of the round
    Counter end_window[2];          // end of the round; lowered when it ends early
    Counter satisfied;              // lanes that need no more windows of a round, summed over all rounds
    Counter next_task;              // the next block to read: window * window_blocks + position in the window
    Counter left;                   // 1 after a lane has left its round
    Counter failed;                 // 1 after a rank failed to read; that rank ends the job
    Counter taken;                  // blocks that a thread has begun to read, if all blocks are kept
    alignas(64) EventCount events;  // changes of these counters and of slots that threads wait for
  };
  struct Slot {
    Counter window;  // the window in this slot, counted over all passes
    Counter blocks;  // blocks of the window that are read
    Counter lanes;   // lanes that have released the window
  };
  // Whether the values of a block have been checked, and whether it is kept in memory.
  enum class BlockState : std::uint8_t { unread, checked, being_kept, kept };
  using AtomicBlockState = std::atomic<BlockState>;

  StreamState(std::unique_ptr<const FeatureReader> file, const RowShape& row, const DataSet& all_targets,
              const StreamOptions& stream, const Communicator& ranks)
      : options(stream),
        shape(row),
        targets(all_targets),
        storage(storage_of(stream.plan.keeps_all() ? 0 : stream.plan.window_rows(), shape)),
        node(ranks.split(0)),
        lanes(node.sum(stream.lanes)),
        reader(std::move(file)),
        memory(node, sizeof(Board) + slots() * (sizeof(Slot) + storage.bytes) +
                         static_cast<std::size_t>(stream.plan.kept_blocks * block_bytes()) +
                         static_cast<std::size_t>(stream.plan.blocks()) * sizeof(AtomicBlockState)) {
    board = reinterpret_cast<Board*>(memory.data());
    slot_boards = reinterpret_cast<Slot*>(memory.data() + sizeof(Board));
    kept = slot_memory(stream.plan.slots);
    block_states = reinterpret_cast<AtomicBlockState*>(kept + stream.plan.kept_blocks * block_bytes());
    if (node.is_root()) forget_rounds();
    memory.synchronize();
  }

  ~StreamState() { stop_readers(); }

  void stop_readers() {
    stopping = true;
    board->events.advance();
    readers.join();
  }

  // As before the first round, but blocks that are kept in memory remain. Called while no thread of the node reads.
  void forget_rounds() {
    for (Counter* counter :
         {&board->arrivals, &board->round, &board->wanted[0], &board->wanted[1], &board->unneeded[0],
          &board->unneeded[1], &board->first_window[0], &board->first_window[1], &board->end_window[0],
          &board->end_window[1], &board->satisfied, &board->next_task, &board->left})
      counter->value = 0;
    for (std::size_t slot = 0; slot < slots(); ++slot) {
      slot_boards[slot].window.value = static_cast<std::int64_t>(slot);
      slot_boards[slot].blocks.value = slot_boards[slot].lanes.value = 0;
    }
  }

  std::int64_t block_bytes() const { return options.plan.block_rows * feature_bytes(shape); }
  std::size_t slots() const { return static_cast<std::size_t>(options.plan.slots); }
  std::byte* slot_memory(std::int64_t slot) const {
    return memory.data() + sizeof(Board) + slots() * sizeof(Slot) + static_cast<std::size_t>(slot) * storage.bytes;
  }
  Slot& slot_of(std::int64_t window) const { return slot_boards[window % options.plan.slots]; }

  // Sleeps until ready() returns true; returns false if the stream stops before that.
  template <class Ready>
  bool wait(const Ready& ready) const {
    bool is_ready = false;
    const auto is_over = [&] { return (is_ready = ready()) || stopping || failed; };
    while (!board->events.wait_for(longest_sleep, is_over)) {
    }
    return is_ready;
  }

  void rethrow_failure() {
    const std::lock_guard lock(mutex);
    if (failure) std::rethrow_exception(failure);
    throw RunError("The stream was stopped.");
  }

  StreamRound round_at(std::int64_t number) const {
    StreamRound round;
    round.first_window = board->first_window[number % 2].value.load();
    round.end_window = board->end_window[number % 2].value.load();
    const std::int64_t needed = endless - board->unneeded[number % 2].value.load();
    round.epochs = board->wanted[number % 2].value.load();  // loaded last, because it is reset first
    const std::int64_t passes = pass_count(round.epochs, options.validation);
    round.begin = std::min(needed, std::max<std::int64_t>(passes - 1, 0) * options.plan.windows());
    return round;
  }

  // Begins round `number`. Called by the last lane that arrives.
  void begin_round(std::int64_t number) {
    const std::int64_t first = round_at(number - 1).end_window;
    const StreamRound round = round_at(number);
    const std::int64_t windows = pass_count(round.epochs, options.validation) * options.plan.windows() - round.begin;
    board->first_window[number % 2].value = first;
    board->end_window[number % 2].value = first + windows;
    board->wanted[(number + 1) % 2].value = 0;  // of the next round, as the following line
    board->unneeded[(number + 1) % 2].value = 0;
    board->round.value = number;
    board->events.advance();
  }

  // Finds the current round; returns false if the window belongs to a later one, or if the round changes meanwhile.
  bool find_round(std::int64_t window, StreamRound& round) const {
    const std::int64_t current = board->round.value.load();
    round = round_at(current);
    return board->round.value.load() == current && round.epochs > 0 && window < round.end_window;
  }

  // Whether all blocks of a window are in memory.
  bool is_read(std::int64_t window, const std::int64_t* blocks, std::int64_t count) const {
    if (options.plan.keeps_all())
      return std::all_of(blocks, blocks + count,
                         [&](std::int64_t block) { return block_states[block] == BlockState::kept; });
    const Slot& slot = slot_of(window);
    return slot.window.value.load() == window && slot.blocks.value.load() == count;
  }

  // The row of a window's data at which a block begins. `position` is the block's position in the window.
  std::int64_t offset_of(std::int64_t block, std::int64_t position) const {
    return (options.plan.keeps_all() ? block : position) * options.plan.block_rows;
  }
  DataSet data_of(std::int64_t window) const;

  void run_reader();
  void keep_block(std::int64_t block, FeatureReader::Buffers& buffers);
  void read_features(std::int64_t block, std::byte* to, FeatureReader::Buffers& buffers);
  void read_block(std::int64_t block, std::int64_t position, std::byte* to, FeatureReader::Buffers& buffers);

  const StreamOptions options;
  const RowShape shape;
  const DataSet targets;
  const Storage storage;  // layout of a window; empty if all blocks are kept
  const Communicator node;
  const std::int64_t lanes;  // all lanes of the node
  const std::unique_ptr<const FeatureReader> reader;
  SharedArray memory;
  Board* board = nullptr;
  Slot* slot_boards = nullptr;
  std::byte* kept = nullptr;  // [kept blocks, bytes of a block]; if all blocks are kept, the rows in the file's order
  AtomicBlockState* block_states = nullptr;  // [blocks]
  std::atomic<bool> stopping{false}, failed{false};
  std::atomic<std::int64_t> bytes_read{0};
  std::mutex mutex;
  std::exception_ptr failure;
  ThreadGroup readers{"reading the data file"};
};

}  // namespace sheaf
