// The state of a stream that the ranks of a node share: rounds, slots and blocks. For stream.cpp, whose threads
// read, and stream_lane.cpp, whose lanes train.
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

// The longest sleep before a condition that no thread signals is checked again: a lane that gives up.
inline constexpr std::chrono::milliseconds longest_sleep{100};

struct StreamRound {
  std::int64_t first_window = 0;  // counted from the beginning of the stream
  std::int64_t end_window = 0;    // likewise; after the last one
  std::int64_t begin = 0;         // the first window, counted from the first pass of such a round
  std::int64_t epochs = 0;
};

// Raises `known` to `value`.
inline void raise_to(std::atomic<std::int64_t>& known, std::int64_t value) {
  for (std::int64_t now = known; now < value && !known.compare_exchange_weak(now, value);) {
  }
}

struct StreamState {
  // In shared memory, which begins as zeros.
  struct alignas(64) Counter {
    std::atomic<std::int64_t> value;
  };
  struct Board {
    Counter arrivals;               // lanes that came to a round, in all
    Counter round;                  // that is on, from 1
    Counter wanted[2];              // epochs, of the round of that parity
    Counter unneeded[2];            // likewise; `endless` minus the first window that any lane needs
    Counter first_window[2];        // likewise
    Counter end_window[2];          // likewise; falls when the round ends early
    Counter satisfied;              // lanes that needed no more of a round, in all
    Counter next_place;             // of a block to be read, `window_blocks` of them to a window
    Counter left;                   // a lane has left its round
    Counter failed;                 // a rank cannot read; it ends the job
    Counter taken;                  // blocks to be kept that a thread has begun to read, where all are kept
    alignas(64) EventCount events;  // changes of these and of the slots that someone may wait for
  };
  struct Slot {
    Counter window;  // that it is for, counted over all passes
    Counter blocks;  // of it that are read
    Counter lanes;   // that are done with it
  };
  // The state of a block: whether its values were found fit for training, and whether it stays in memory.
  enum class Known : std::uint8_t { nothing, fit, being_kept, kept };
  using Knowledge = std::atomic<Known>;

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
                         static_cast<std::size_t>(stream.plan.blocks()) * sizeof(Knowledge)) {
    board = reinterpret_cast<Board*>(memory.data());
    slot_boards = reinterpret_cast<Slot*>(memory.data() + sizeof(Board));
    kept = slot_memory(stream.plan.slots);
    known = reinterpret_cast<Knowledge*>(kept + stream.plan.kept_blocks * block_bytes());
    if (node.is_root())
      for (std::size_t slot = 0; slot < slots(); ++slot)
        slot_boards[slot].window.value = static_cast<std::int64_t>(slot);
    memory.synchronise();
  }

  ~StreamState() {
    stopping = true;
    board->events.advance();
    readers.join();
  }

  std::int64_t block_bytes() const { return options.plan.block_rows * feature_bytes(shape); }
  std::size_t slots() const { return static_cast<std::size_t>(options.plan.slots); }
  std::byte* slot_memory(std::int64_t slot) const {
    return memory.data() + sizeof(Board) + slots() * sizeof(Slot) + static_cast<std::size_t>(slot) * storage.bytes;
  }
  Slot& slot_of(std::int64_t window) const { return slot_boards[window % options.plan.slots]; }

  // Sleeps until `ready()`; false when the stream is stopped before.
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
    round.epochs = board->wanted[number % 2].value.load();  // last: it goes first when the round is over
    const std::int64_t passes = pass_count(round.epochs, options.validation);
    round.begin = std::min(needed, std::max<std::int64_t>(passes - 1, 0) * options.plan.windows());
    return round;
  }

  // By the last lane that comes to round `number`, for all.
  void begin_round(std::int64_t number) {
    const std::int64_t first = round_at(number - 1).end_window;
    const StreamRound round = round_at(number);
    const std::int64_t windows = pass_count(round.epochs, options.validation) * options.plan.windows() - round.begin;
    board->first_window[number % 2].value = first;
    board->end_window[number % 2].value = first + windows;
    board->wanted[(number + 1) % 2].value = 0;  // of the round after this one, as the next
    board->unneeded[(number + 1) % 2].value = 0;
    board->round.value = number;
    board->events.advance();
  }

  // The round of a window; false when it is not on yet.
  bool find_round(std::int64_t window, StreamRound& round) const {
    const std::int64_t on = board->round.value.load();
    round = round_at(on);
    return board->round.value.load() == on && round.epochs > 0 && window < round.end_window;
  }

  // Whether the blocks of a window are all there.
  bool is_read(std::int64_t window, const std::int64_t* blocks, std::int64_t count) const {
    if (options.plan.keeps_all())
      return std::all_of(blocks, blocks + count, [&](std::int64_t block) { return known[block] == Known::kept; });
    const Slot& slot = slot_of(window);
    return slot.window.value.load() == window && slot.blocks.value.load() == count;
  }

  // A row's place in the memory that a window shows, of a block that is at `place` of the window.
  std::int64_t place_of(std::int64_t block, std::int64_t place) const {
    return (options.plan.keeps_all() ? block : place) * options.plan.block_rows;
  }
  DataSet data_of(std::int64_t window) const;

  void run_reader();
  void keep_block(std::int64_t block, FeatureReader::Buffers& buffers);
  void read_features(std::int64_t block, std::byte* to, FeatureReader::Buffers& buffers);
  void read_block(std::int64_t block, std::int64_t place, std::byte* to, FeatureReader::Buffers& buffers);

  const StreamOptions options;
  const RowShape shape;
  const DataSet targets;
  const Storage storage;  // of a window; where all blocks are kept, they are looked at there
  const Communicator node;
  const std::int64_t lanes;  // of the node
  const std::unique_ptr<const FeatureReader> reader;
  SharedArray memory;
  Board* board = nullptr;
  Slot* slot_boards = nullptr;
  std::byte* kept = nullptr;   // [kept blocks, block's bytes]; when all are kept, the rows as in the file
  Knowledge* known = nullptr;  // [blocks]
  std::atomic<bool> stopping{false}, failed{false};
  std::atomic<std::int64_t> bytes_read{0};
  std::mutex mutex;
  std::exception_ptr failure;
  ThreadGroup readers{"reading the data file"};
};

}  // namespace sheaf
