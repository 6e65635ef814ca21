// Plain loops, compiled once per instruction set: Highway includes this file repeatedly.
// SPDX-License-Identifier: MIT
#include "data/transform/number_cast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/transform/number_cast.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

template <class T>
T cast_number(double value) {
  if constexpr (!std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (sizeof(T) < 8) {
    using Limits = std::numeric_limits<T>;
    return static_cast<T>(std::nearbyint(std::clamp<double>(value, Limits::min(), Limits::max())));
  } else {
    // The largest value is not representable as double. 2^63 or 2^64 is the first double beyond the range.
    using Limits = std::numeric_limits<T>;
    const double beyond = std::ldexp(1.0, Limits::digits);
    const double rounded = std::nearbyint(value);
    if (rounded >= beyond) return Limits::max();
    return rounded <= static_cast<double>(Limits::min()) ? Limits::min() : static_cast<T>(rounded);
  }
}

template <class T>
void cast_all(const double* values, std::int64_t count, std::byte* to) {
  T* numbers = reinterpret_cast<T*>(to);
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = cast_number<T>(values[i]);
}

void cast(const double* values, std::int64_t count, NumberType type, std::byte* to) {
  switch (type) {
    case NumberType::int8:
      return cast_all<std::int8_t>(values, count, to);
    case NumberType::int16:
      return cast_all<std::int16_t>(values, count, to);
    case NumberType::int32:
      return cast_all<std::int32_t>(values, count, to);
    case NumberType::int64:
      return cast_all<std::int64_t>(values, count, to);
    case NumberType::uint8:
      return cast_all<std::uint8_t>(values, count, to);
    case NumberType::uint16:
      return cast_all<std::uint16_t>(values, count, to);
    case NumberType::uint32:
      return cast_all<std::uint32_t>(values, count, to);
    case NumberType::uint64:
      return cast_all<std::uint64_t>(values, count, to);
    case NumberType::float16:
      return cast_all<Half>(values, count, to);
    case NumberType::float32:
      return cast_all<float>(values, count, to);
    case NumberType::float64:
      return cast_all<double>(values, count, to);
  }
}

constexpr std::int64_t cache_line_bytes = 64;

// Prefetches into the second-level cache: the first-level cache is needed for other numbers until these are used.
template <class T>
HWY_INLINE void fetch(const T* numbers, std::int64_t count) {
  const auto* bytes = reinterpret_cast<const char*>(numbers);
  for (std::int64_t offset = 0; offset < count * static_cast<std::int64_t>(sizeof(T)); offset += cache_line_bytes)
    __builtin_prefetch(bytes + offset, 0, 2);
}

template <class T>
void widen_all(Window<const T> from, std::int64_t rows, std::int64_t columns, double* to) {
  for (std::int64_t row = 0; row < rows; ++row, from.values += from.stride, to += columns) {
    if (rows > 1) fetch(from.values + rows * from.stride, columns);
    for (std::int64_t column = 0; column < columns; ++column) to[column] = from.values[column];
  }
}

void widen_bytes(Window<const std::uint8_t> from, std::int64_t rows, std::int64_t columns, double* to) {
  widen_all(from, rows, columns, to);
}

void widen_floats(Window<const float> from, std::int64_t rows, std::int64_t columns, double* to) {
  widen_all(from, rows, columns, to);
}

void widen_doubles(Window<const double> from, std::int64_t rows, std::int64_t columns, double* to) {
  widen_all(from, rows, columns, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {
namespace {

HWY_EXPORT(cast);
HWY_EXPORT(widen_bytes);
HWY_EXPORT(widen_floats);
HWY_EXPORT(widen_doubles);

}  // namespace

void cast_numbers(const double* values, std::int64_t count, NumberType type, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(cast)(values, count, type, to);
}

void widen_numbers(Window<const std::uint8_t> from, std::int64_t rows, std::int64_t columns, double* to) {
  HWY_DYNAMIC_DISPATCH(widen_bytes)(from, rows, columns, to);
}

void widen_numbers(Window<const float> from, std::int64_t rows, std::int64_t columns, double* to) {
  HWY_DYNAMIC_DISPATCH(widen_floats)(from, rows, columns, to);
}

void widen_numbers(Window<const double> from, std::int64_t rows, std::int64_t columns, double* to) {
  HWY_DYNAMIC_DISPATCH(widen_doubles)(from, rows, columns, to);
}

}  // namespace sheaf
#endif
