// Brings batches to the memory of a device in which the steps of a stack read them.
// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Event.h>
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "engines/libtorch/stack_batch_layout.hpp"
#include "engines/libtorch/work_thread.hpp"

namespace sheaf {

/// Fills the batches `which` of a feed, in memory of the host at `to`.
using FillBatches = std::function<void(IndexRange which, std::uint8_t* to)>;

/// Batches are filled on the host, in two blocks of memory in turn, and copied to the places of the device on its
/// current stream. So the host fills the next ones while a GPU computes, and is at most two blocks ahead of it. Call
/// all functions in c10::InferenceMode. Not shared between threads.
class StackFeed {
 public:
  /// `ahead`: a second thread fills batches, while the calling thread waits for a GPU or launches work on it.
  StackFeed(StackBatchLayout layout, torch::Device device, bool ahead);

  /// The places: batches on the device, always at the same addresses.
  const std::vector<StackBatch>& places() const { return places_; }

  /// Brings `count` batches to the places in their order. Calls `use_all` when all places have batches, and if fewer
  /// are left, `use_first` for each of them in the first place. They launch work on the current stream. Calls `fill`
  /// for consecutive batches, in the second thread if there is one. Throws what it throws.
  void feed(std::int64_t count, const FillBatches& fill, const std::function<void()>& use_all,
            const std::function<void()>& use_first);

 private:
  // As many batches as there are places, in memory of the host.
  struct Block {
    torch::Tensor bytes;
    std::optional<c10::Event> copied;  // to a GPU
  };

  std::int64_t place_count() const { return static_cast<std::int64_t>(places_.size()); }
  void begin_filling(Block& block, IndexRange which, const FillBatches& fill);
  void end_filling();
  void copy(Block& block, std::int64_t first, std::int64_t count);

  StackBatchLayout layout_;
  torch::Device device_;
  torch::Tensor bytes_;  // of the places
  std::vector<StackBatch> places_;
  std::array<Block, 2> blocks_;
  std::optional<WorkThread> thread_;
};

}  // namespace sheaf
