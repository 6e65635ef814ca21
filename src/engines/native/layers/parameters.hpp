// The parameters of all layers of a network in one array, with their gradients and optimizer state.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "core/index_range.hpp"
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
  /// `averages`: keeps running averages of the parameters.
  explicit Parameters(int state_count = 0, bool averages = false) : state_count_(state_count), averages_(averages) {}

  /// Adds `count` parameters, and padding. Returns their offset.
  std::int64_t add(std::int64_t count);
  /// Same, for weights, which are multiplied by values of rows, unlike biases and the parameters of norms.
  std::int64_t add_weights(std::int64_t count);

  /// The number of parameters, with padding, which is zero.
  std::int64_t count() const { return count_; }
  /// The places of the weights, with padding.
  const std::vector<IndexRange>& weights() const { return weights_; }

  /// Takes the memory: parameters, state, averages, and gradients if `trains`.
  void lay_out(ArenaLayout& arena, bool trains);

  Value* at(std::int64_t offset) const { return values_ + offset; }
  Value* gradients_at(std::int64_t offset) const { return gradients_ + offset; }

  /// A shift; null if there is none.
  const Value* shift(ShiftOffset offset) const { return offset ? at(*offset) : nullptr; }
  /// The gradients of a shift; `unused` if there is none.
  Value* shift_gradients(ShiftOffset offset, Value* unused) const { return offset ? gradients_at(*offset) : unused; }

  /// Sets the parameters of the layers of `chain`, and their averages, to `weights`, the flat list of
  /// initial_weights(), and the state to zero.
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
    if (averages_) std::copy_n(values_, count_, average_values_);
  }

  /// The parameters, or their averages if it has some, as such a list, rounded to float.
  template <class Chain>
  std::vector<float> list(const Chain& chain) const {
    const Value* values = averages_ ? average_values_ : values_;
    std::vector<float> flat;
    flat.reserve(static_cast<std::size_t>(count_));  // growing may take twice the memory
    for (const auto& layer : chain)
      layer->for_each_segment([&](const Segment& segment) {
        const Value* from = values + segment.offset;
        for (std::int64_t index = 0; index < segment.count; ++index)
          flat.push_back(static_cast<float>(from[index * segment.stride]));
      });
    return flat;
  }

  void set_optimizer(const TrainOptions& train) {
    updater_.emplace(train);
    average_share_ = static_cast<Value>(1 - train.average_decay);
  }
  void begin_step(std::int64_t step, double learning_rate) { updater_->begin_step(step, learning_rate); }
  /// Updates `count` parameters (a multiple of `padding`) with gradients [count].
  void update(const Value* gradients, std::int64_t offset, std::int64_t count) {
    (*updater_)(gradients, count, values_ + offset, states_ + offset, count_);
  }

  /// Ends step `step`, counted from 0, after the update of all parameters: their averages, if there are some, become
  /// the parameters in the first step and approach them by a share of 1 - train.average_decay in the others. Source:
  /// torch.optim.swa_utils.AveragedModel with get_ema_avg_fn.
  void end_step(std::int64_t step);
  /// Exchanges parameters and averages, if there are some: the layers then use the averages.
  void swap_averages() {
    if (averages_) std::swap(values_, average_values_);
  }

  /// Saves or restores parameters, state and averages, in this memory layout.
  void save(ByteWriter& bytes) const;
  void restore(ByteReader& bytes);

 private:
  void clear();

  int state_count_;
  bool averages_;
  std::int64_t count_ = 0;
  std::vector<IndexRange> weights_;
  Value *values_ = nullptr, *states_ = nullptr, *gradients_ = nullptr;  // states: [state_count, count]
  Value* average_values_ = nullptr;
  std::optional<Updater<Value>> updater_;
  Value average_share_ = 0;
  GradientKernels<Value> kernels_ = gradient_kernels<Value>();
};

}  // namespace sheaf
