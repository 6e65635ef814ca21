// Reorders the values of images. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "study/data_options.hpp"

namespace sheaf {

/// Changes `rows` images from [height, width, channels] to [channels, height, width], in place. `image` is the buffer
/// of one image, reused between calls.
template <class Value>
void put_channels_first(const ImageShape& shape, std::int64_t rows, Value* values, std::vector<std::byte>& image) {
  const std::int64_t pixels = shape.height * shape.width, row_values = pixels * shape.channels;
  image.resize(static_cast<std::size_t>(row_values) * sizeof(Value));
  auto* from = reinterpret_cast<Value*>(image.data());
  for (Value* row = values; row != values + rows * row_values; row += row_values) {
    std::copy_n(row, row_values, from);
    Value* to = row;
    for (std::int64_t channel = 0; channel < shape.channels; ++channel)
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) *to++ = from[pixel * shape.channels + channel];
  }
}

}  // namespace sheaf
