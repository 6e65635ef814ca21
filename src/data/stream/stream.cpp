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

// When all blocks are kept: reads one, unless a thread does so or has done so for another pass.
void StreamState::keep_block(std::int64_t block, FeatureReader::Buffers& buffers) {
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
void StreamState::read_features(std::int64_t block, std::byte* to, FeatureReader::Buffers& buffers) {
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
void StreamState::read_block(std::int64_t block, std::int64_t place, std::byte* to, FeatureReader::Buffers& buffers) {
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

void StreamState::run_reader() {
  const StreamPlan& plan = options.plan;
  try {
    FeatureReader::Buffers buffers;
    std::vector<std::int64_t> order;
    std::optional<Pass> ordered;
    while (!plan.keeps_all() || board->taken.value.load() < plan.blocks()) {
      const std::int64_t task = board->next_place.value.fetch_add(1);
      const std::int64_t window = task / plan.window_blocks, place = task % plan.window_blocks;
      Slot& slot = slot_of(window);
      StreamRound round;
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
    : state_(std::make_unique<StreamState>(std::move(reader), shape, targets, options, node)) {
  state_->readers.start(options.threads, [state = state_.get()](std::int64_t) { state->run_reader(); });
}

Stream::~Stream() = default;

const StreamOptions& Stream::options() const {
  return state_->options;
}

std::int64_t Stream::bytes_read() const {
  return state_->bytes_read;
}

}  // namespace sheaf
