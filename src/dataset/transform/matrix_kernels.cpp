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

// Both: numbers of one row of the product, the weighted sum of as many rows of `in` as there are weights. Four vectors
// at a time hide the latency of an addition.
template <class Tag>
HWY_INLINE void sum_four(Tag tag, const double* weights, std::int64_t count, const double* in, std::int64_t width,
                         double* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  auto sum0 = hn::Zero(tag), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (std::int64_t row = 0; row < count; ++row, in += width) {
    const auto weight = hn::Set(tag, weights[row]);
    sum0 = hn::MulAdd(weight, hn::LoadU(tag, in), sum0);
    sum1 = hn::MulAdd(weight, hn::LoadU(tag, in + lanes), sum1);
    sum2 = hn::MulAdd(weight, hn::LoadU(tag, in + 2 * lanes), sum2);
    sum3 = hn::MulAdd(weight, hn::LoadU(tag, in + 3 * lanes), sum3);
  }
  hn::StoreU(sum0, tag, out);
  hn::StoreU(sum1, tag, out + lanes);
  hn::StoreU(sum2, tag, out + 2 * lanes);
  hn::StoreU(sum3, tag, out + 3 * lanes);
}

template <class Tag>
HWY_INLINE void sum_one(Tag tag, const double* weights, std::int64_t count, const double* in, std::int64_t width,
                        double* out) {
  auto sum = hn::Zero(tag);
  for (std::int64_t row = 0; row < count; ++row, in += width)
    sum = hn::MulAdd(hn::Set(tag, weights[row]), hn::LoadU(tag, in), sum);
  hn::StoreU(sum, tag, out);
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
      sum_four(vector, weights, count, from + column, width, out + column);
    for (; column + lanes <= width; column += lanes)
      sum_one(vector, weights, count, from + column, width, out + column);
    for (; column < width; ++column) sum_one(single, weights, count, from + column, width, out + column);
  }
}

// Two by two numbers at a time.
void turn(const Window<const double>& from, std::int64_t rows, std::int64_t columns, const Window<double>& to) {
  const hn::Full128<double> pair;
  constexpr std::int64_t tile = 16;  // columns whose rows stay in the first-level cache
  const std::int64_t paired_rows = rows / 2 * 2;
  for (std::int64_t begin = 0; begin < columns; begin += tile) {
    const std::int64_t end = std::min(columns, begin + tile), paired_end = begin + (end - begin) / 2 * 2;
    for (std::int64_t row = 0; row < paired_rows; row += 2) {
      const double* upper = from.values + row * from.stride;
      const double* lower = upper + from.stride;
      for (std::int64_t column = begin; column < paired_end; column += 2) {
        const auto first = hn::LoadU(pair, upper + column), second = hn::LoadU(pair, lower + column);
        double* out = to.values + column * to.stride + row;
        hn::StoreU(hn::InterleaveLower(pair, first, second), pair, out);
        hn::StoreU(hn::InterleaveUpper(pair, first, second), pair, out + to.stride);
      }
    }
    // What is left of an odd row and an odd column.
    for (std::int64_t column = begin; column < end; ++column)
      for (std::int64_t row = column < paired_end ? paired_rows : 0; row < rows; ++row)
        to.values[column * to.stride + row] = from.values[row * from.stride + column];
  }
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
