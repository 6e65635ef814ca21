// SPDX-License-Identifier: MIT
#include "dataset/feature_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace sheaf {
namespace {

// From [height, width, channels] to [channels, height, width].
template <class Value>
void channels_first(const ImageShape& image, const Value* from, Value* to) {
  const std::int64_t pixels = image.height * image.width;
  for (std::int64_t channel = 0; channel < image.channels; ++channel)
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) *to++ = from[pixel * image.channels + channel];
}

// Looks at the exponents alone, in whole vectors.
bool all_finite(const float* values, std::int64_t count) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t found = 0;
  for (std::int64_t place = 0; place < count; ++place) {
    std::uint32_t bits;
    std::memcpy(&bits, values + place, sizeof bits);
    found |= (bits & exponent) == exponent ? 1u : 0u;
  }
  return found == 0;
}

}  // namespace

FeatureReader::FeatureReader(const DataOptions& options, const FileSchema& schema)
    : rows_(options.file, options.features), width_(schema.feature_count), bytes_(schema.features.is_bytes) {
  if (options.channels == ChannelOrder::last) turned_ = schema.image;
}

template <class Value>
void FeatureReader::read_as(IndexRange rows, Value* values, Buffers& buffers) const {
  rows_.read(rows, values, buffers.rows);
  if (turned_.channels > 1) {
    buffers.image.resize(static_cast<std::size_t>(width_) * sizeof(Value));
    auto* image = reinterpret_cast<Value*>(buffers.image.data());
    for (Value* row = values; row != values + rows.count() * width_; row += width_) {
      std::copy_n(row, width_, image);
      channels_first(turned_, image, row);
    }
  }
  if constexpr (std::is_same_v<Value, float>) {
    if (all_finite(values, rows.count() * width_)) return;
    const float* end = values + rows.count() * width_;
    const float* begin = values;
    const float* found = std::find_if_not(begin, end, [](float value) { return std::isfinite(value); });
    const std::int64_t place = found - begin;
    throw BadRow(rows.begin + place / width_,
                 fmt::format("The {} holds {} in row {}, column {} (values must be finite in 32-bit floating point). "
                             "Remove or replace it.",
                             rows_.description(), *found, rows.begin + place / width_, place % width_));
  }
}

void FeatureReader::read(IndexRange rows, std::byte* values, Buffers& buffers) const {
  if (bytes_)
    read_as(rows, reinterpret_cast<std::uint8_t*>(values), buffers);
  else
    read_as(rows, reinterpret_cast<float*>(values), buffers);
}

}  // namespace sheaf
