// Tensors as plain values: views of arrays, saved states, lists of numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <vector>

#include "core/bytes.hpp"

namespace sheaf {

/// A tensor on the CPU that reads `values`, which must outlive it. LibTorch has no tensors of const values: do not
/// write to it.
template <class Value>
torch::Tensor view_of(const Value* values, at::IntArrayRef sizes, torch::ScalarType type) {
  return torch::from_blob(const_cast<Value*>(values), sizes, torch::TensorOptions(type));
}

/// The values [count, ...] of the slots with the numbers `slots`, [count] int64, of a tensor [slots, ...]. An undefined
/// tensor stays undefined.
torch::Tensor of_slots(const torch::Tensor& all, const torch::Tensor& slots);

/// Writes the bytes of a tensor.
void put_tensor(const torch::Tensor& tensor, ByteWriter& state);

/// Reads a tensor of the same sizes and type into its existing memory, because other tensors are views of it. Throws
/// std::out_of_range at the end of the bytes.
void get_tensor(ByteReader& state, const torch::Tensor& tensor);

/// Appends the values of a tensor, converted to `type`, the type of Number.
template <class Number>
void append_numbers(const torch::Tensor& tensor, torch::ScalarType type, std::vector<Number>& to) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU, type).contiguous();
  to.insert(to.end(), plain.data_ptr<Number>(), plain.data_ptr<Number>() + plain.numel());
}

}  // namespace sheaf
