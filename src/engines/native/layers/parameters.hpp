// The parameters of all layers of a network in one array, with their gradients and optimizer state.
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "engines/native/kernels/arena.hpp"
#include "engines/native/layers/updater.hpp"

namespace sheaf {

/// Parameters at `offset + index * stride`, index < count, that are consecutive in the flat list of initial_weights().
struct Segment {
  std::int64_t offset = 0, stride = 1, count = 0;
};
using SegmentUse = std::function<void(const Segment&)>;

/// The offset of the parameters [features] that the next layer adds to its inputs, such as a bias; no value: none. That
/// layer reads and writes its inputs anyway. It also computes the gradients of these parameters.
using ShiftOffset = std::optional<std::int64_t>;

/// Value: float or double. Layers reserve their parameters with add(), then lay_out() assigns memory.
template <class Value>
class Parameters {
 public:
  /// For an optimizer with `state_count` values per parameter (optimizer_state_count()); predictions have none.
  explicit Parameters(int state_count = 0) : state_count_(state_count) {}

  /// Adds `count` parameters, and padding. Returns their offset.
  std::int64_t add(std::int64_t count);

  /// The number of parameters, with padding, which is zero.
  std::int64_t count() const { return count_; }

  /// Takes the memory: parameters, state, and gradients if `trains`.
  void lay_out(ArenaLayout& arena, bool trains);

  Value* at(std::int64_t offset) const { return values_ + offset; }
  Value* gradients_at(std::int64_t offset) const { return gradients_ + offset; }

  /// A shift; null if there is none.
  const Value* shift(ShiftOffset offset) const { return offset ? at(*offset) : nullptr; }
  /// The gradients of a shift; `unused` if there is none.
  Value* shift_gradients(ShiftOffset offset, Value* unused) const { return offset ? gradients_at(*offset) : unused; }

  /// Sets the parameters of the layers of `chain` to `weights`, the flat list of initial_weights(), and the state to
  /// zero.
  template <class Chain>
  void load(const Chain& chain, const std::vector<float>& weights) {
    clear();
    const float* from = weights.data();
    for (const auto& layer : chain)
      layer->for_each_segment([&](const Segment& segment) {
        Value* to = at(segment.offset);
        for (std::int64_t index = 0; index < segment.count; ++index) to[index * segment.stride] = *from++;
      });
    assert(from == weights.data() + weights.size());
  }

  /// The parameters as such a list, rounded to float.
  template <class Chain>
  std::vector<float> weights(const Chain& chain) const {
    std::vector<float> flat;
    for (const auto& layer : chain)
      layer->for_each_segment([&](const Segment& segment) {
        const Value* from = at(segment.offset);
        for (std::int64_t index = 0; index < segment.count; ++index)
          flat.push_back(static_cast<float>(from[index * segment.stride]));
      });
    return flat;
  }

  void set_optimizer(const TrainOptions& train) { updater_.emplace(train); }
  void begin_step(std::int64_t step, double learning_rate) { updater_->begin_step(step, learning_rate); }
  /// Updates `count` parameters (a multiple of `padding`) with gradients [count].
  void update(const Value* gradients, std::int64_t offset, std::int64_t count) {
    (*updater_)(gradients, count, values_ + offset, states_ + offset, count_);
  }

  /// Saves or restores parameters and state, in this memory layout.
  void save(ByteWriter& bytes) const;
  void restore(ByteReader& bytes);

 private:
  void clear();

  int state_count_;
  std::int64_t count_ = 0;
  Value *values_ = nullptr, *states_ = nullptr, *gradients_ = nullptr;  // states: [state_count, count]
  std::optional<Updater<Value>> updater_;
};

}  // namespace sheaf
