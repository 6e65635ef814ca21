// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_feed.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace sheaf {
namespace {

// Keeps the second thread from using objects of a caller that does not wait for it because of an exception.
class ThreadUse {
 public:
  explicit ThreadUse(std::optional<WorkThread>& thread) : thread_(thread) {}
  ~ThreadUse() {
    if (!thread_) return;
    try {
      thread_->wait();
    } catch (...) {  // the first exception counts
    }
  }
  ThreadUse(const ThreadUse&) = delete;
  ThreadUse& operator=(const ThreadUse&) = delete;

 private:
  std::optional<WorkThread>& thread_;
};

}  // namespace

StackFeed::StackFeed(StackBatchLayout layout, torch::Device device, bool ahead)
    : layout_(std::move(layout)), device_(device) {
  const std::int64_t count = batches_at_once(layout_.bytes());
  const auto bytes = torch::TensorOptions(torch::kUInt8);
  bytes_ = torch::zeros({count, layout_.bytes()}, bytes.device(device));
  for (std::int64_t place = 0; place < count; ++place) places_.push_back(layout_.batch(bytes_[place]));
  for (Block& block : blocks_) {
    block.bytes = torch::zeros({count, layout_.bytes()}, bytes.pinned_memory(device.is_cuda()));
    if (device.is_cuda()) block.copied.emplace(device.type());
  }
  if (ahead) thread_.emplace("batches of a stack");
}

void StackFeed::feed(std::int64_t count, const FillBatches& fill, const std::function<void()>& use_all,
                     const std::function<void()>& use_first) {
  const ThreadUse use(thread_);
  const std::int64_t places = place_count();
  const auto begin = [&](std::int64_t first) {
    if (first >= count) return;
    begin_filling(blocks_[static_cast<std::size_t>(first / places % 2)], {first, std::min(first + places, count)},
                  fill);
  };
  begin(0);
  for (std::int64_t first = 0; first < count; first += places) {
    end_filling();
    begin(first + places);
    Block& block = blocks_[static_cast<std::size_t>(first / places % 2)];
    if (count - first >= places) {
      copy(block, 0, places);
      use_all();
      continue;
    }
    for (std::int64_t index = 0; index < count - first; ++index) {
      copy(block, index, 1);
      use_first();
    }
  }
}

// On a GPU, waits until it has copied the last batches of the block. By then it has begun to compute with them, and has
// the next ones in its queue.
void StackFeed::begin_filling(Block& block, IndexRange which, const FillBatches& fill) {
  while (block.copied && !block.copied->query()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  std::uint8_t* const to = block.bytes.data_ptr<std::uint8_t>();
  if (thread_)
    thread_->start([&fill, which, to] { fill(which, to); });
  else
    fill(which, to);
}

void StackFeed::end_filling() {
  if (thread_) thread_->wait();
}

// Copies batches of a block to the first places.
void StackFeed::copy(Block& block, std::int64_t first, std::int64_t count) {
  constexpr bool non_blocking = true;
  bytes_.narrow(0, 0, count).copy_(block.bytes.narrow(0, first, count), non_blocking);
  if (block.copied) block.copied->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

}  // namespace sheaf
