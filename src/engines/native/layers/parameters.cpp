// SPDX-License-Identifier: MIT
#include "engines/native/layers/parameters.hpp"

#include <algorithm>

#include "core/padding.hpp"

namespace sheaf {

template <class Value>
std::int64_t Parameters<Value>::add(std::int64_t count) {
  const std::int64_t offset = count_;
  count_ += round_up(count, padding);
  return offset;
}

template <class Value>
std::int64_t Parameters<Value>::add_weights(std::int64_t count) {
  const std::int64_t offset = add(count);
  weights_.push_back({offset, count_});
  return offset;
}

template <class Value>
void Parameters<Value>::lay_out(ArenaLayout& arena, bool trains) {
  values_ = arena.take<Value>(count_);
  states_ = arena.take<Value>(state_count_ * count_);
  average_values_ = averages_ ? arena.take<Value>(count_) : nullptr;
  gradients_ = trains ? arena.take<Value>(count_) : nullptr;
}

template <class Value>
void Parameters<Value>::clear() {
  std::fill_n(values_, count_, Value{0});
  std::fill_n(states_, state_count_ * count_, Value{0});
}

template <class Value>
void Parameters<Value>::end_step(std::int64_t step) {
  if (!averages_) return;
  if (step == 0)
    std::copy_n(values_, count_, average_values_);
  else
    kernels_.approach(average_share_, values_, count_, average_values_);
}

template <class Value>
void Parameters<Value>::save(ByteWriter& bytes) const {
  bytes.put_array(values_, count_);
  bytes.put_array(states_, state_count_ * count_);
  if (averages_) bytes.put_array(average_values_, count_);
}

template <class Value>
void Parameters<Value>::restore(ByteReader& bytes) {
  bytes.get_array(values_, count_);
  bytes.get_array(states_, state_count_ * count_);
  if (averages_) bytes.get_array(average_values_, count_);
}

template class Parameters<float>;
template class Parameters<double>;

}  // namespace sheaf
