// SPDX-License-Identifier: MIT
#include "data/stream/stream.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/past_caches.hpp"
#include "data/stream/stream_state.hpp"

namespace sheaf {

DataSet StreamState::data_of(std::int64_t window) const {
  DataSet data = targets;
  if (options.plan.keeps_all()) {
    attach_features(kept, shape, data);
  } else {
    data.rows = options.plan.window_rows();
    attach(arrays_in(slot_memory(window % options.plan.slots), storage, shape.task), shape, data);
  }
  return data;
}

// Reads a block that stays in memory, unless a thread has done so before or is doing so. Only if all blocks are kept.
void StreamState::keep_block(std::int64_t block, FeatureReader::Buffers& buffers) {
  auto before = BlockState::unread;
  if (!block_states[block].compare_exchange_strong(before, BlockState::being_kept)) return;
  board->taken.value.fetch_add(1);
  const IndexRange rows = options.plan.rows_of(block);
  reader->read(rows, kept + block * block_bytes(), buffers);
  bytes_read += rows.count() * feature_bytes(shape);
  block_states[block] = BlockState::kept;
  board->events.advance();
}

// Reads a block's features from the file, or copies them if the block is kept in memory. Two threads may read the same
// block at the same time, for different passes.
void StreamState::read_features(std::int64_t block, std::byte* to, FeatureReader::Buffers& buffers) {
  const IndexRange rows = options.plan.rows_of(block);
  const auto bytes = static_cast<std::size_t>(rows.count() * feature_bytes(shape));
  const auto kept_index = options.plan.kept_index(block);
  std::byte* kept_block = kept_index ? kept + *kept_index * block_bytes() : nullptr;
  if (block_states[block] == BlockState::kept) {
    copy_past_caches(kept_block, bytes, to);
    return;
  }
  if (block_states[block] == BlockState::unread)
    reader->read(rows, to, buffers);
  else
    reader->read_again(rows, to, buffers);
  bytes_read += static_cast<std::int64_t>(bytes);
  auto before = BlockState::unread;
  block_states[block].compare_exchange_strong(before, BlockState::checked);
  before = BlockState::checked;
  if (kept_index && block_states[block].compare_exchange_strong(before, BlockState::being_kept)) {
    copy_past_caches(to, bytes, kept_block);
    block_states[block] = BlockState::kept;
  }
}

// Reads block `block` of the file, with its targets and weights, to block position `position` of a window.
void StreamState::read_block(std::int64_t block, std::int64_t position, std::byte* to,
                             FeatureReader::Buffers& buffers) {
  const IndexRange rows = options.plan.rows_of(block);
  const std::int64_t first = position * options.plan.block_rows;
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

void StreamState::run_reader() {
  const StreamPlan& plan = options.plan;
  try {
    FeatureReader::Buffers buffers;
    std::vector<std::int64_t> order;
    std::optional<Pass> ordered;
    while (!plan.keeps_all() || board->taken.value.load() < plan.blocks()) {
      const std::int64_t task = board->next_task.value.fetch_add(1);
      const std::int64_t window = task / plan.window_blocks, position = task % plan.window_blocks;
      Slot& slot = slot_of(window);
      StreamRound round;
      const auto may_read = [&] {
        // Load the slot before the round: a round that ends early lowers end_window before it frees the slots of later
        // windows. The slot may be ahead of `window` if the last window of a pass has no block at this position.
        const bool is_free = plan.keeps_all() || slot.window.value.load() >= window;
        return find_round(window, round) && (is_free || window < round.first_window);
      };
      if (!wait(may_read)) return;
      if (window < round.first_window) {  // a window of a round that has ended: skip to the current round
        raise_to(board->next_task.value, round.first_window * plan.window_blocks);
        continue;
      }
      const std::int64_t number = window - round.first_window + round.begin;
      const IndexRange positions = plan.blocks_of(number % plan.windows());
      if (position >= positions.count()) continue;  // the last window of a pass may have fewer blocks
      if (board->failed.value.load() > 0) return;   // one error message is enough
      const Pass pass = pass_at(number / plan.windows(), round.epochs, options.validation);
      if (ordered != pass) order = options.block_order(pass);
      ordered = pass;
      const std::int64_t block = order[static_cast<std::size_t>(positions.begin + position)];
      if (plan.keeps_all()) {
        keep_block(block, buffers);
        continue;
      }
      read_block(block, position, slot_memory(window % plan.slots), buffers);
      if (slot.blocks.value.fetch_add(1) + 1 == positions.count()) board->events.advance();
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
    : state_(std::make_unique<StreamState>(std::move(reader), shape, targets, options, node)) {
  state_->readers.start(options.threads, [state = state_.get()](std::int64_t) { state->run_reader(); });
}

void Stream::restart() {
  StreamState& state = *state_;
  state.stop_readers();
  state.memory.synchronize();
  if (state.node.is_root()) state.forget_rounds();
  state.memory.synchronize();
  state.stopping = false;
  state.readers.start(state.options.threads, [&state](std::int64_t) { state.run_reader(); });
}

Stream::~Stream() = default;

const StreamOptions& Stream::options() const {
  return state_->options;
}

std::int64_t Stream::bytes_read() const {
  return state_->bytes_read;
}

}  // namespace sheaf
