// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_batch_layout.hpp"

#include <algorithm>

#include "core/padding.hpp"
#include "training/stack_limits.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t part_alignment = 256;  // bytes, as of memory that a GPU allocates

constexpr std::int64_t number_bytes = static_cast<std::int64_t>(StackNumber::count) * 8;
static_assert(static_cast<std::int64_t>(StackNumber::count) <= most_step_numbers);

template <class Value>
Value* pointer_to(std::uint8_t* bytes) {
  return reinterpret_cast<Value*>(bytes);
}

}  // namespace

StackBatchLayout::StackBatchLayout(const StackShape& shape, std::int64_t slots)
    : slots_(slots), rows_(round_up(shape.batch_rows, stack_padding)) {
  const auto add = [&](std::int64_t slot_bytes) {
    const std::int64_t begin = bytes_;
    bytes_ = round_up(begin + slots * slot_bytes, part_alignment);
    return begin;
  };
  add(rows_ * 8);
  weights_ = add(rows_ * 8);
  numbers_ = add(number_bytes);
  for (const Layer& layer : shape.layers) {
    const std::int64_t width = shape.has_dropout && layer.drops ? layer.outputs : 0;
    masks_.push_back({width, add(rows_ * width)});
  }
}

StackBatch StackBatchLayout::batch(const torch::Tensor& bytes) const {
  const auto part = [&](std::int64_t begin, at::IntArrayRef sizes, torch::ScalarType type) {
    const std::int64_t size = c10::multiply_integers(sizes) * static_cast<std::int64_t>(c10::elementSize(type));
    return bytes.narrow(0, begin, size).view(type).view(sizes);
  };
  StackBatch views{part(0, {slots_, rows_}, torch::kInt64),
                   part(weights_, {slots_, rows_}, torch::kFloat64),
                   part(numbers_, {slots_, static_cast<std::int64_t>(StackNumber::count)}, torch::kFloat64),
                   {}};
  for (const Mask& mask : masks_)
    views.masks.push_back(mask.width > 0 ? part(mask.begin, {slots_, rows_, mask.width}, torch::kUInt8)
                                         : torch::Tensor());
  return views;
}

std::int64_t* StackBatchLayout::rows_of(std::uint8_t* batch, std::int64_t slot) const {
  return pointer_to<std::int64_t>(batch) + slot * rows_;
}

double* StackBatchLayout::weights_of(std::uint8_t* batch, std::int64_t slot) const {
  return pointer_to<double>(batch + weights_) + slot * rows_;
}

double* StackBatchLayout::numbers_of(std::uint8_t* batch, std::int64_t slot) const {
  return pointer_to<double>(batch + numbers_ + slot * number_bytes);
}

std::uint8_t* StackBatchLayout::mask_of(std::uint8_t* batch, std::int64_t slot, std::size_t layer) const {
  return batch + masks_[layer].begin + slot * rows_ * masks_[layer].width;
}

std::int64_t batches_at_once(std::int64_t batch_bytes) {
  return std::clamp<std::int64_t>(most_block_bytes / batch_bytes, 1, most_batches_at_once);
}

}  // namespace sheaf
