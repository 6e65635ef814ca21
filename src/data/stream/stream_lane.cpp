// SPDX-License-Identifier: MIT
#include <cassert>
#include <utility>

#include "core/clock.hpp"
#include "data/stream/stream.hpp"
#include "data/stream/stream_state.hpp"

namespace sheaf {

StreamLane::StreamLane(Stream& stream)
    : stream_(*stream.state_),
      round_(stream_.board->round.value.load()),
      next_window_(round_ > 0 ? stream_.round_at(round_).end_window : 0),
      first_window_(next_window_),
      end_window_(next_window_),
      needs_more_(round_ > 0) {}

void StreamLane::leave() {
  stream_.board->left.value = 1;
  stream_.board->events.advance();
}

bool StreamLane::is_left() const {
  return stream_.board->left.value.load() > 0;
}

std::int64_t StreamLane::begin_round(std::int64_t epochs, std::int64_t from) {
  using Board = StreamState::Board;
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
  const StreamRound now = stream_.round_at(round);
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

// The last lane that calls this ends the round early. A window is read only after all lanes have released the previous
// window of its slot. So readers and lanes are at most `slots` windows ahead of the first window that this lane has not
// released; these windows are still delivered. If all blocks are kept in memory, lanes do not depend on each other, and
// each lane ends the round for itself.
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

const Window* StreamLane::next(const std::function<bool()>& should_stop) {
  release();
  update_end();
  if (next_window_ == end_window_) return nullptr;
  const StreamPlan& plan = stream_.options.plan;
  const std::int64_t window_of_round = next_window_ - first_window_ + begin_;
  const std::int64_t number = window_of_round % plan.windows();
  const Pass pass = pass_at(window_of_round / plan.windows(), epochs_, stream_.options.validation);
  if (number == 0 || next_window_ == first_window_) order_ = stream_.options.block_order(pass);
  const IndexRange positions = plan.blocks_of(number);
  const auto start = Clock::now();
  const auto is_read = [&] {
    return stream_.is_read(next_window_, order_.data() + positions.begin, positions.count());
  };
  const auto is_over = [&] {
    update_end();
    return next_window_ == end_window_ || is_left() || (should_stop && should_stop());
  };
  const bool ended = !stream_.wait([&] { return is_read() || is_over(); });
  waited_ += seconds_since(start);
  if (ended) stream_.rethrow_failure();
  if (!is_read()) return nullptr;

  window_.pass = pass;
  window_.number = number;
  window_.last = number + 1 == plan.windows();
  window_.blocks.clear();
  for (std::int64_t position = positions.begin; position < positions.end; ++position) {
    const std::int64_t block = order_[static_cast<std::size_t>(position)];
    window_.blocks.push_back({plan.rows_of(block), stream_.offset_of(block, position - positions.begin)});
  }
  window_.data = stream_.data_of(next_window_);
  ++next_window_;
  holds_ = true;
  return &window_;
}

}  // namespace sheaf
