// SPDX-License-Identifier: MIT
#include "dataset/stream.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/event_count.hpp"
#include "core/past_caches.hpp"
#include "core/thread_group.hpp"
#include "dataset/feature_reader.hpp"
#include "dataset/storage.hpp"
#include "mpi/shared_array.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();

// Between looks at what comes without a word from another thread: a lane that gives up.
constexpr std::chrono::milliseconds longest_sleep{100};

struct Round {
  std::int64_t first_window = 0;  // counted from the beginning of the stream
  std::int64_t end_window = 0;    // likewise; after the last one
  std::int64_t begin = 0;         // the first window, counted from the first pass of such a round
  std::int64_t epochs = 0;
};

// Raises `known` to `value`.
void raise_to(std::atomic<std::int64_t>& known, std::int64_t value) {
  for (std::int64_t now = known; now < value && !known.compare_exchange_weak(now, value);) {
  }
}

}  // namespace

std::vector<std::int64_t> StreamOptions::block_order(const Pass& pass) const {
  return sheaf::block_order(plan.blocks(), pass.training && shuffled, seed, pass.epoch);
}

struct Stream::State {
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
  // What is known of a block: whether its values were found fit for training, and are kept for all passes to come.
  enum class Known : std::uint8_t { nothing, fit, being_kept, kept };
  using Knowledge = std::atomic<Known>;

  State(std::unique_ptr<const FeatureReader> file, const RowShape& row, const DataSet& all_targets,
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

  ~State() {
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

  Round round_at(std::int64_t number) const {
    Round round;
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
    const Round round = round_at(number);
    const std::int64_t windows = pass_count(round.epochs, options.validation) * options.plan.windows() - round.begin;
    board->first_window[number % 2].value = first;
    board->end_window[number % 2].value = first + windows;
    board->wanted[(number + 1) % 2].value = 0;  // of the round after this one, as the next
    board->unneeded[(number + 1) % 2].value = 0;
    board->round.value = number;
    board->events.advance();
  }

  // The round of a window; false when it is not on yet.
  bool find_round(std::int64_t window, Round& round) const {
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

DataSet Stream::State::data_of(std::int64_t window) const {
  DataSet data = targets;
  if (options.plan.keeps_all()) {
    attach_features(kept, shape, data);
  } else {
    data.rows = options.plan.window_rows();
    attach(arrays_in(slot_memory(window % options.plan.slots), storage, shape.task), shape, data);
  }
  return data;
}

// When all blocks are kept: reads one, unless a thread does so or has done so for another pass.
void Stream::State::keep_block(std::int64_t block, FeatureReader::Buffers& buffers) {
  auto before = Known::nothing;
  if (!known[block].compare_exchange_strong(before, Known::being_kept)) return;
  board->taken.value.fetch_add(1);
  const IndexRange rows = options.plan.rows_of(block);
  reader->read(rows, kept + block * block_bytes(), buffers);
  bytes_read += rows.count() * feature_bytes(shape);
  known[block] = Known::kept;
  board->events.advance();
}

// From the file, or from the blocks that are kept; two threads may be at the same block, for two passes.
void Stream::State::read_features(std::int64_t block, std::byte* to, FeatureReader::Buffers& buffers) {
  const IndexRange rows = options.plan.rows_of(block);
  const auto bytes = static_cast<std::size_t>(rows.count() * feature_bytes(shape));
  const auto place = options.plan.kept_place(block);
  std::byte* kept_block = place ? kept + *place * block_bytes() : nullptr;
  if (known[block] == Known::kept) {
    copy_past_caches(kept_block, bytes, to);
    return;
  }
  if (known[block] == Known::nothing)
    reader->read(rows, to, buffers);
  else
    reader->read_again(rows, to, buffers);
  bytes_read += static_cast<std::int64_t>(bytes);
  auto before = Known::nothing;
  known[block].compare_exchange_strong(before, Known::fit);
  before = Known::fit;
  if (place && known[block].compare_exchange_strong(before, Known::being_kept)) {
    copy_past_caches(to, bytes, kept_block);
    known[block] = Known::kept;
  }
}

// Reads block `block` of the file to place `place` of a window, its targets with it.
void Stream::State::read_block(std::int64_t block, std::int64_t place, std::byte* to, FeatureReader::Buffers& buffers) {
  const IndexRange rows = options.plan.rows_of(block);
  const std::int64_t first = place * options.plan.block_rows;
  const StoredArrays arrays = arrays_in(to, storage, shape.task);
  read_features(block, arrays.features + first * feature_bytes(shape), buffers);
  if (arrays.labels != nullptr)
    std::copy(targets.labels + rows.begin, targets.labels + rows.end, arrays.labels + first);
  if (arrays.targets != nullptr)
    std::copy(targets.targets + rows.begin * shape.target_columns, targets.targets + rows.end * shape.target_columns,
              arrays.targets + first * shape.target_columns);
  if (arrays.weights != nullptr)
    std::copy(targets.weights + rows.begin, targets.weights + rows.end, arrays.weights + first);
}

void Stream::State::run_reader() {
  const StreamPlan& plan = options.plan;
  try {
    FeatureReader::Buffers buffers;
    std::vector<std::int64_t> order;
    std::optional<Pass> ordered;
    while (!plan.keeps_all() || board->taken.value.load() < plan.blocks()) {
      const std::int64_t task = board->next_place.value.fetch_add(1);
      const std::int64_t window = task / plan.window_blocks, place = task % plan.window_blocks;
      Slot& slot = slot_of(window);
      Round round;
      const auto may_read = [&] {
        // The slot before the round: a round that ends early lowers end_window before slots of windows behind it become
        // free. A slot may be ahead of `window` where the last window of a pass has no block at this place.
        const bool is_free = plan.keeps_all() || slot.window.value.load() >= window;
        return find_round(window, round) && (is_free || window < round.first_window);
      };
      if (!wait(may_read)) return;
      if (window < round.first_window) {  // of a round that is over, which may have ended early by many windows
        raise_to(board->next_place.value, round.first_window * plan.window_blocks);
        continue;
      }
      const std::int64_t number = window - round.first_window + round.begin;
      const IndexRange places = plan.blocks_of(number % plan.windows());
      if (place >= places.count()) continue;       // a pass's last window
      if (board->failed.value.load() > 0) return;  // one message is enough
      const Pass pass = pass_at(number / plan.windows(), round.epochs, options.validation);
      if (ordered != pass) order = options.block_order(pass);
      ordered = pass;
      const std::int64_t block = order[static_cast<std::size_t>(places.begin + place)];
      if (plan.keeps_all()) {
        keep_block(block, buffers);
        continue;
      }
      read_block(block, place, slot_memory(window % plan.slots), buffers);
      if (slot.blocks.value.fetch_add(1) + 1 == places.count()) board->events.advance();
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    board->failed.value = 1;
    failed = true;
    board->events.advance();
  }
}

Stream::Stream(std::unique_ptr<const FeatureReader> reader, const RowShape& shape, const DataSet& targets,
               const StreamOptions& options, const Communicator& node)
    : state_(std::make_unique<State>(std::move(reader), shape, targets, options, node)) {
  state_->readers.start(options.threads, [state = state_.get()](std::int64_t) { state->run_reader(); });
}

Stream::~Stream() = default;

const StreamOptions& Stream::options() const {
  return state_->options;
}

std::int64_t Stream::bytes_read() const {
  return state_->bytes_read;
}

void StreamLane::leave() {
  stream_.board->left.value = 1;
  stream_.board->events.advance();
}

bool StreamLane::is_left() const {
  return stream_.board->left.value.load() > 0;
}

std::int64_t StreamLane::begin_round(std::int64_t epochs, std::int64_t from) {
  using Board = Stream::State::Board;
  if (is_left()) return 0;
  need_no_more();
  assert(!holds_ && next_window_ == end_window_);
  Board& board = *stream_.board;
  const std::int64_t round = round_ + 1;
  raise_to(board.wanted[round % 2].value, epochs);
  if (epochs > 0) raise_to(board.unneeded[round % 2].value, endless - from);
  if (board.arrivals.value.fetch_add(1) + 1 == stream_.lanes * round) stream_.begin_round(round);
  if (!stream_.wait([&] { return board.round.value.load() >= round || is_left(); })) stream_.rethrow_failure();
  if (board.round.value.load() < round) return 0;
  const Round now = stream_.round_at(round);
  round_ = round;
  epochs_ = now.epochs;
  begin_ = now.begin;
  next_window_ = first_window_ = now.first_window;
  needs_more_ = true;
  update_end();
  return now.epochs;
}

void StreamLane::update_end() {
  if (needs_more_ || !stream_.options.plan.keeps_all())
    end_window_ = stream_.board->end_window[round_ % 2].value.load();
}

// The last lane to need no more ends the round early. A window is read when all lanes have released the one that had
// its slot, so readers and lanes are within `slots` windows of the first one that this lane has not released: these
// still pass. Where all blocks are kept, lanes do not depend on each other, and each ends the round for itself.
void StreamLane::need_no_more() {
  if (!std::exchange(needs_more_, false)) return;
  auto& board = *stream_.board;
  const bool is_last = board.satisfied.value.fetch_add(1) + 1 == stream_.lanes * round_;
  const std::int64_t unreleased = next_window_ - std::int64_t{holds_};
  if (stream_.options.plan.keeps_all()) {
    end_window_ = next_window_;
  } else if (is_last) {
    auto& end = board.end_window[round_ % 2].value;
    end = std::min(end.load(), unreleased + stream_.options.plan.slots);
    board.events.advance();
  }
}

void StreamLane::release() {
  if (!std::exchange(holds_, false) || stream_.options.plan.keeps_all()) return;
  const std::int64_t window = next_window_ - 1;
  auto& slot = stream_.slot_of(window);
  if (slot.lanes.value.fetch_add(1) + 1 < stream_.lanes) return;
  slot.blocks.value = 0;
  slot.lanes.value = 0;
  slot.window.value = window + stream_.options.plan.slots;
  stream_.board->events.advance();
}

const Window* StreamLane::next(const std::function<bool()>& gives_up) {
  release();
  update_end();
  if (next_window_ == end_window_) return nullptr;
  const StreamPlan& plan = stream_.options.plan;
  const std::int64_t place_in_passes = next_window_ - first_window_ + begin_;
  const std::int64_t number = place_in_passes % plan.windows();
  const Pass pass = pass_at(place_in_passes / plan.windows(), epochs_, stream_.options.validation);
  if (number == 0 || next_window_ == first_window_) order_ = stream_.options.block_order(pass);
  const IndexRange places = plan.blocks_of(number);
  const auto start = Clock::now();
  const auto is_there = [&] { return stream_.is_read(next_window_, order_.data() + places.begin, places.count()); };
  const auto is_over = [&] {
    update_end();
    return next_window_ == end_window_ || is_left() || (gives_up && gives_up());
  };
  const bool ended = !stream_.wait([&] { return is_there() || is_over(); });
  waited_ += seconds_since(start);
  if (ended) stream_.rethrow_failure();
  if (!is_there()) return nullptr;

  window_.pass = pass;
  window_.number = number;
  window_.last = number + 1 == plan.windows();
  window_.blocks.clear();
  for (std::int64_t place = places.begin; place < places.end; ++place) {
    const std::int64_t block = order_[static_cast<std::size_t>(place)];
    window_.blocks.push_back({plan.rows_of(block), stream_.place_of(block, place - places.begin)});
  }
  window_.data = stream_.data_of(next_window_);
  ++next_window_;
  holds_ = true;
  return &window_;
}

}  // namespace sheaf
