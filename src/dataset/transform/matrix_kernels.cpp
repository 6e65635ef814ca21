// Compiled once for each instruction set: Highway includes this file again.
// SPDX-License-Identifier: MIT
#include "dataset/transform/matrix_kernels.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dataset/transform/matrix_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// `vectors` vectors of one row of the product, the weighted sum of as many rows of `in` as there are weights. Several
// at a time hide the latency of an addition, and share the reading of a weight.
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
    const auto place = static_cast<std::size_t>(row);
    const double* weights = matrix.weights.data() + matrix.offsets[place];
    const std::int64_t count = matrix.offsets[place + 1] - matrix.offsets[place];
    const double* from = in + matrix.starts[place] * width;
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

// A square of as many rows and columns as a vector has lanes: 4, 2 or 1.
template <class Tag>
HWY_INLINE void turn_square(Tag tag, const Window<const double>& from, const Window<double>& to) {
  const double* row = from.values;
  double* column = to.values;
  if constexpr (hn::MaxLanes(Tag()) == 4) {
    const auto row0 = hn::LoadU(tag, row), row1 = hn::LoadU(tag, row + from.stride);
    const auto row2 = hn::LoadU(tag, row + 2 * from.stride), row3 = hn::LoadU(tag, row + 3 * from.stride);
    const auto even01 = hn::InterleaveLower(tag, row0, row1), odd01 = hn::InterleaveUpper(tag, row0, row1);
    const auto even23 = hn::InterleaveLower(tag, row2, row3), odd23 = hn::InterleaveUpper(tag, row2, row3);
    hn::StoreU(hn::ConcatLowerLower(tag, even23, even01), tag, column);
    hn::StoreU(hn::ConcatLowerLower(tag, odd23, odd01), tag, column + to.stride);
    hn::StoreU(hn::ConcatUpperUpper(tag, even23, even01), tag, column + 2 * to.stride);
    hn::StoreU(hn::ConcatUpperUpper(tag, odd23, odd01), tag, column + 3 * to.stride);
  } else if constexpr (hn::MaxLanes(Tag()) == 2) {
    const auto row0 = hn::LoadU(tag, row), row1 = hn::LoadU(tag, row + from.stride);
    hn::StoreU(hn::InterleaveLower(tag, row0, row1), tag, column);
    hn::StoreU(hn::InterleaveUpper(tag, row0, row1), tag, column + to.stride);
  } else {
    *column = *row;
  }
}

// In squares, and what they leave at the right and at the bottom in smaller ones.
template <class Tag>
void turn_in_squares(Tag tag, const Window<const double>& from, std::int64_t rows, std::int64_t columns,
                     const Window<double>& to) {
  constexpr auto side = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr std::int64_t tile = 16;  // columns whose rows stay in the first-level cache
  const std::int64_t whole_rows = rows / side * side, whole_columns = columns / side * side;
  for (std::int64_t begin = 0; begin < whole_columns; begin += tile)
    for (std::int64_t row = 0; row < whole_rows; row += side)
      for (std::int64_t column = begin; column < std::min(whole_columns, begin + tile); column += side)
        turn_square(tag, {from.values + row * from.stride + column, from.stride},
                    {to.values + column * to.stride + row, to.stride});
  if constexpr (side > 1) {
    const hn::Half<Tag> half;
    turn_in_squares(half, {from.values + whole_columns, from.stride}, rows, columns - whole_columns,
                    {to.values + whole_columns * to.stride, to.stride});
    turn_in_squares(half, {from.values + whole_rows * from.stride, from.stride}, rows - whole_rows, whole_columns,
                    {to.values + whole_rows, to.stride});
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
