// Compiled once per instruction set: Highway includes this file repeatedly.
// SPDX-License-Identifier: MIT
#include "data/transform/matrix_kernels.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/transform/matrix_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Computes `vectors` vectors of a row of the product: the weighted sum of `count` rows of `in`. Several vectors at a
// time hide the latency of additions, and load each weight once.
template <int vectors, class Tag>
HWY_INLINE void sum_rows(Tag tag, const double* weights, std::int64_t count, const double* in, std::int64_t width,
                         double* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  auto sum0 = hn::Zero(tag), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (std::int64_t row = 0; row < count; ++row, in += width) {
    const auto weight = hn::Set(tag, weights[row]);
    sum0 = hn::MulAdd(weight, hn::LoadU(tag, in), sum0);
    if constexpr (vectors > 1) sum1 = hn::MulAdd(weight, hn::LoadU(tag, in + lanes), sum1);
    if constexpr (vectors > 2) sum2 = hn::MulAdd(weight, hn::LoadU(tag, in + 2 * lanes), sum2);
    if constexpr (vectors > 3) sum3 = hn::MulAdd(weight, hn::LoadU(tag, in + 3 * lanes), sum3);
  }
  hn::StoreU(sum0, tag, out);
  if constexpr (vectors > 1) hn::StoreU(sum1, tag, out + lanes);
  if constexpr (vectors > 2) hn::StoreU(sum2, tag, out + 2 * lanes);
  if constexpr (vectors > 3) hn::StoreU(sum3, tag, out + 3 * lanes);
}

void product(const BandMatrix& matrix, const double* in, std::int64_t width, double* out) {
  const hn::ScalableTag<double> vector;
  const hn::CappedTag<double, 1> single;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(vector));
  for (std::int64_t row = 0; row < matrix.rows(); ++row, out += width) {
    const auto index = static_cast<std::size_t>(row);
    const double* weights = matrix.weights.data() + matrix.offsets[index];
    const std::int64_t count = matrix.offsets[index + 1] - matrix.offsets[index];
    const double* from = in + matrix.starts[index] * width;
    std::int64_t column = 0;
    for (; column + 4 * lanes <= width; column += 4 * lanes)
      sum_rows<4>(vector, weights, count, from + column, width, out + column);
    if (column + 3 * lanes <= width) {
      sum_rows<3>(vector, weights, count, from + column, width, out + column);
      column += 3 * lanes;
    }
    for (; column + lanes <= width; column += lanes)
      sum_rows<1>(vector, weights, count, from + column, width, out + column);
    for (; column < width; ++column) sum_rows<1>(single, weights, count, from + column, width, out + column);
  }
}

// Transposes a square with the side of a vector: 4, 2 or 1.
template <class Tag>
HWY_INLINE void turn_square(Tag tag, const double* row, std::int64_t row_stride, double* column,
                            std::int64_t column_stride) {
  if constexpr (hn::MaxLanes(Tag()) == 4) {
    // Each load combines the halves of two rows, so that only one step in registers remains.
    const hn::Half<Tag> half;
    const auto load = [&](const double* from) HWY_ATTR {
      return hn::Combine(tag, hn::LoadU(half, from + 2 * row_stride), hn::LoadU(half, from));
    };
    for (std::int64_t i = 0; i < 4; i += 2, row += 2, column += 2 * column_stride) {
      const auto even = load(row), odd = load(row + row_stride);
      hn::StoreU(hn::InterleaveLower(tag, even, odd), tag, column);
      hn::StoreU(hn::InterleaveUpper(tag, even, odd), tag, column + column_stride);
    }
  } else if constexpr (hn::MaxLanes(Tag()) == 2) {
    const auto even = hn::LoadU(tag, row), odd = hn::LoadU(tag, row + row_stride);
    hn::StoreU(hn::InterleaveLower(tag, even, odd), tag, column);
    hn::StoreU(hn::InterleaveUpper(tag, even, odd), tag, column + column_stride);
  } else {
    *column = *row;
  }
}

// Transposes in squares. The remaining columns and rows are transposed in smaller squares.
template <class Tag>
void turn_in_squares(Tag tag, const Window<const double>& from, std::int64_t rows, std::int64_t columns,
                     const Window<double>& to) {
  constexpr auto side = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr std::int64_t tile = 16;  // columns whose rows stay in the first-level cache
  const std::int64_t whole_rows = rows / side * side, whole_columns = columns / side * side;
  const std::int64_t row_stride = from.stride, column_stride = to.stride;
  for (std::int64_t begin = 0; begin < whole_columns; begin += tile) {
    const std::int64_t end = std::min(whole_columns, begin + tile);
    for (std::int64_t row = 0; row < whole_rows; row += side) {
      const double* square = from.values + row * row_stride + begin;
      double* turned = to.values + begin * column_stride + row;
      for (std::int64_t column = begin; column < end; column += side, square += side, turned += side * column_stride)
        turn_square(tag, square, row_stride, turned, column_stride);
    }
  }
  if constexpr (side > 1) {
    const hn::Half<Tag> half;
    if (whole_columns < columns)
      turn_in_squares(half, {from.values + whole_columns, row_stride}, rows, columns - whole_columns,
                      {to.values + whole_columns * column_stride, column_stride});
    if (whole_rows < rows)
      turn_in_squares(half, {from.values + whole_rows * row_stride, row_stride}, rows - whole_rows, whole_columns,
                      {to.values + whole_rows, column_stride});
  }
}

void turn(const Window<const double>& from, std::int64_t rows, std::int64_t columns, const Window<double>& to) {
  turn_in_squares(hn::CappedTag<double, 4>(), from, rows, columns, to);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {
namespace {

HWY_EXPORT(product);
HWY_EXPORT(turn);

}  // namespace

void multiply(const BandMatrix& matrix, const double* in, std::int64_t width, double* out) {
  HWY_DYNAMIC_DISPATCH(product)(matrix, in, width, out);
}

void transpose(Window<const double> from, std::int64_t rows, std::int64_t columns, Window<double> to) {
  HWY_DYNAMIC_DISPATCH(turn)(from, rows, columns, to);
}

}  // namespace sheaf
#endif
