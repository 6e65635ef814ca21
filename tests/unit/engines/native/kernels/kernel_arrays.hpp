// Helpers for tests of the native engine's kernels: guarded arrays, random values and tolerances.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace sheaf::test {

inline std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// An array that begins at a cache line and has guard values before and after it. Elements are initialized to the
/// guard value.
template <class Value>
class Guarded {
 public:
  static constexpr Value guard = -12345;

  explicit Guarded(std::int64_t count) : lines_(at(count) / per_line + 3), count_(count) {
    std::fill(begin(), end(), guard);
  }
  explicit Guarded(const std::vector<Value>& values) : Guarded(static_cast<std::int64_t>(values.size())) {
    std::copy(values.begin(), values.end(), data());
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Value* data() { return begin() + per_line; }
  Value operator[](std::int64_t index) { return data()[index]; }
  std::vector<Value> values() { return {data(), data() + count_}; }

  bool intact() {
    const auto is_guard = [](Value value) { return value == guard; };
    return std::all_of(begin(), data(), is_guard) && std::all_of(data() + count_, end(), is_guard);
  }

 private:
  static constexpr std::size_t per_line = 64 / sizeof(Value);
  struct alignas(64) Line {
    Value values[per_line];
  };
  Value* begin() { return lines_.front().values; }
  Value* end() { return begin() + lines_.size() * per_line; }

  std::vector<Line> lines_;
  std::int64_t count_;
};

/// Normally distributed numbers that depend only on the seed.
template <class Value>
std::vector<Value> normals(std::int64_t count, unsigned seed, double deviation = 1) {
  std::mt19937 bits(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<Value> values(at(count));
  for (auto& value : values) value = static_cast<Value>(normal(bits));
  return values;
}

template <class Value>
std::vector<double> doubles(const std::vector<Value>& values) {
  return {values.begin(), values.end()};
}

/// Returns `in_float` if Value is float and `in_double` if it is double.
template <class Value>
double pick(double in_float, double in_double) {
  return sizeof(Value) == sizeof(float) ? in_float : in_double;
}

/// The largest difference, relative if the expected value is above 1. NaN if any difference is NaN.
template <class Value>
double distance(const std::vector<Value>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = std::abs(static_cast<double>(found[i]) - expected[i]) / std::max(1.0, std::abs(expected[i]));
    if (std::isnan(off)) return off;
    worst = std::max(worst, off);
  }
  return worst;
}

/// The tolerance for sums of up to 144 products of normals, which may cancel.
template <class Value>
double sum_tolerance() {
  return pick<Value>(1e-5, 5e-14);
}

}  // namespace sheaf::test
