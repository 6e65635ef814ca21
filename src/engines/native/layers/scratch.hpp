// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/padding.hpp"
#include "engines/native/kernels/arena.hpp"

namespace sheaf {

/// Memory that the layers of a network use in turn. The constructors of the layers set the sizes, at least; lay_out()
/// assigns memory.
template <class Value>
struct Scratch {
  std::int64_t widest = 0;         ///< most outputs of a layer, with padding
  std::int64_t largest_group = 0;  ///< most weight gradients that are computed together
  bool transposes = false, drops = false;

  Value* weight_gradients = nullptr;               ///< [largest group]
  Value* unused_sums = nullptr;                    ///< [widest]: gradients of shifts that do not exist
  Value* gradients[2] = {nullptr, nullptr};        ///< [widest, rows]: of outputs and inputs, used alternately
  Value* transposed[2] = {nullptr, nullptr};       ///< [widest, rows]
  float *mask = nullptr, *mask_columns = nullptr;  ///< dropout mask: row-major and by columns

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) {
    weight_gradients = arena.take<Value>(largest_group);
    unused_sums = arena.take<Value>(widest);
    for (Value*& values : gradients) values = arena.take<Value>(widest * max_rows);
    for (Value*& values : transposed) values = transposes ? arena.take<Value>(widest * max_rows) : nullptr;
    if (!drops) return;
    mask = arena.take<float>(widest * max_rows + padding);  // the last vector of a row may extend beyond it
    mask_columns = arena.take<float>(widest * max_rows);
  }
};

}  // namespace sheaf
