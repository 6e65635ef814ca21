// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "engines/native/kernels/move_kernels.cpp"  // this file, compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway requires this order of includes.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "data/feature_scaling.hpp"
#include "engines/native/kernels/feature_blocks.hpp"
#include "engines/native/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Matrices are transposed in squares whose rows have 16 bytes, as many squares at once as a vector has 16-byte blocks.
// Before, block b of vector k has values of row b * square + k; afterwards, it has values of column k.
template <class D>
constexpr std::int64_t square = 16 / sizeof(hn::TFromD<D>);

// Loads one vector of values. Bytes are converted to floats.
template <class D>
HWY_INLINE hn::Vec<D> load_values(D d, const hn::TFromD<D>* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> load_values(D d, const std::uint8_t* from) {
  const hn::Rebind<std::uint8_t, D> bytes;
  const hn::Rebind<std::int32_t, D> integers;
  return hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, from)));
}

// Loads block b of the vector from rows(b * square).
template <class D, class Rows>
HWY_INLINE hn::Vec<D> load_blocks(D d, const Rows& rows, std::int64_t first = 0) {
  if constexpr (hn::MaxLanes(D()) <= square<D>) {
    return load_values(d, rows(first));
  } else {
    const hn::Half<D> half;
    const std::int64_t middle = first + static_cast<std::int64_t>(hn::MaxLanes(half));
    return hn::Combine(d, load_blocks(half, rows, middle), load_blocks(half, rows, first));
  }
}

// Transposes the squares of `rows` in place.
template <class D>
HWY_INLINE void transpose_squares(D d, hn::Vec<D>* rows) {
  if constexpr (square<D> == 4) {
    const auto low02 = hn::InterleaveLower(d, rows[0], rows[2]), low13 = hn::InterleaveLower(d, rows[1], rows[3]);
    const auto high02 = hn::InterleaveUpper(d, rows[0], rows[2]), high13 = hn::InterleaveUpper(d, rows[1], rows[3]);
    rows[0] = hn::InterleaveLower(d, low02, low13);
    rows[1] = hn::InterleaveUpper(d, low02, low13);
    rows[2] = hn::InterleaveLower(d, high02, high13);
    rows[3] = hn::InterleaveUpper(d, high02, high13);
  } else {
    const auto first = hn::InterleaveLower(d, rows[0], rows[1]);
    rows[1] = hn::InterleaveUpper(d, rows[0], rows[1]);
    rows[0] = first;
  }
}

// Loads the first `square` columns of one vector of rows, applies `change`, and stores them by columns.
template <class D, class Rows, class Change>
HWY_INLINE void transpose_square(D d, const Rows& rows, const Change& change, hn::TFromD<D>* to,
                                 std::int64_t to_stride) {
  hn::Vec<D> square_rows[square<D>];
  for (std::int64_t which = 0; which < square<D>; ++which)
    square_rows[which] = load_blocks(d, [&](std::int64_t row) { return rows(row + which); });
  change(square_rows);
  transpose_squares(d, square_rows);
  for (std::int64_t which = 0; which < square<D>; ++which) hn::StoreU(square_rows[which], d, to + which * to_stride);
}

// If the stride is a constant, one register is enough to address the rows.
template <class Value, class Stride>
void transpose(const Value* from, Stride from_stride, std::int64_t row_count, std::int64_t column_count, Value* to,
               std::int64_t to_stride) {
  const hn::ScalableTag<Value> d;
  constexpr std::int64_t side = square<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < row_count; row += lanes)
    for (std::int64_t next = 0; next < column_count; next += side) {
      const std::int64_t column = std::min(next, column_count - side);  // the last squares may overlap
      const Value* corner = from + row * from_stride + column;
      transpose_square(
          d, [&](std::int64_t which) { return corner + which * from_stride; }, [](const auto*) {},
          to + column * to_stride + row, to_stride);
    }
}

// In the functions below, `Feature` is float or std::uint8_t.

template <class Feature>
float scaled(const RowSource& source, const Feature* row, std::int64_t feature) {
  auto value = static_cast<float>(row[feature]);
  if (source.fill != nullptr && std::isnan(value)) value = source.fill[feature];
  if (source.shift == nullptr) return value;
  const float scaled = (value - source.shift[feature]) * source.scale[feature];
  if (source.clip == nullptr) return scaled;
  return scaled / clip_divisor(scaled * source.clip[feature]);
}

template <class V>
HWY_INLINE void fill_empty_cells(V fill, V* rows) {
  for (int which = 0; which < 4; ++which) rows[which] = hn::IfThenElse(hn::IsNaN(rows[which]), fill, rows[which]);
}

template <class V>
HWY_INLINE void scale(V shift, V scale, V* rows) {
  for (int which = 0; which < 4; ++which) rows[which] = hn::Mul(hn::Sub(rows[which], shift), scale);
}

// See clip_divisor(). Does not use fused operations, so that all instruction sets give the same bits.
template <class V>
HWY_INLINE void clip(V clip, V* rows) {
  const hn::DFromV<V> d;
  const V one = hn::Set(d, 1.0f);
  for (int which = 0; which < 4; ++which) {
    const V bent = hn::Mul(rows[which], clip);
    const V root = hn::Sqrt(hn::Add(one, hn::Mul(bent, bent)));
    rows[which] = hn::Div(rows[which], hn::Min(root, hn::Add(one, hn::Abs(bent))));
  }
}

// Copies `count` features, from `begin` on, of four rows and scales them. Not inlined, so that the addresses of the
// rows stay in registers.
template <class Feature>
HWY_NOINLINE void scale_rows(const RowSource& source, const Feature* const* from, std::int64_t begin,
                             std::int64_t count, float* to, std::int64_t to_stride) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Feature *row0 = from[0] + begin, *row1 = from[1] + begin, *row2 = from[2] + begin, *row3 = from[3] + begin;
  for (std::int64_t next = 0; next < count; next += lanes) {
    const std::int64_t column = std::min(next, count - lanes);  // the last vectors may overlap
    hn::Vec<decltype(d)> rows[] = {load_values(d, row0 + column), load_values(d, row1 + column),
                                   load_values(d, row2 + column), load_values(d, row3 + column)};
    if (source.fill != nullptr) fill_empty_cells(hn::LoadU(d, source.fill + begin + column), rows);
    if (source.shift != nullptr)
      scale(hn::LoadU(d, source.shift + begin + column), hn::LoadU(d, source.scale + begin + column), rows);
    if (source.clip != nullptr) clip(hn::LoadU(d, source.clip + begin + column), rows);
    for (int which = 0; which < 4; ++which) hn::StoreU(rows[which], d, to + which * to_stride + column);
  }
}

// Copies `count` features, from `begin` on, of `padding` rows, scales them and stores them by rows. Unless `transposed`
// is null, also stores them by columns, while they are in the first-level cache. Returns false if there are too few
// features for this, without storing any.
template <class Feature>
bool gather_rows(const RowSource& source, const Feature* const* from, std::int64_t begin, std::int64_t count, float* to,
                 std::int64_t to_stride, float* transposed, std::int64_t transposed_stride) {
  if (count < static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<float>()))) return false;
  for (std::int64_t row = 0; row < padding; row += 4)
    scale_rows(source, from + row, begin, count, to + row * to_stride, to_stride);
  constexpr std::integral_constant<std::int64_t, FeatureBlocks::width> usual_stride;
  if (transposed == nullptr) return true;
  if (to_stride == usual_stride)
    transpose(to, usual_stride, padding, count, transposed, transposed_stride);
  else
    transpose(to, to_stride, padding, count, transposed, transposed_stride);
  return true;
}

template <class Feature>
bool gather_rows(const RowSource&, const Feature* const*, std::int64_t, std::int64_t, double*, std::int64_t, double*,
                 std::int64_t) {
  return false;
}

// A group of `padding` rows, of which only the first `used` rows are needed. The others are arbitrary rows, so that all
// vectors are full; their results are set to zero.
template <class Feature>
struct RowGroup {
  const Feature* from[padding];
  std::int64_t used;
};

// Gathers one block of features of a group of rows, which begins at row `first` of the batch. `columns` may be null.
template <class Feature, class Value>
void gather_block(const RowSource& source, const FeatureBlocks& cut, std::int64_t block, const RowGroup<Feature>& group,
                  std::int64_t first, std::int64_t row_count, Value* blocks, Value* columns) {
  const std::int64_t begin = block * FeatureBlocks::width, padded = cut.padded(block), count = cut.columns(block);
  Value* to = blocks + cut.offset(block, row_count) + first * padded;
  Value* transposed = columns == nullptr ? nullptr : columns + cut.offset(block, row_count) + first;
  if (!gather_rows(source, group.from, begin, count, to, padded, transposed, row_count)) {
    for (std::int64_t which = 0; which < padding; ++which)
      for (std::int64_t column = 0; column < count; ++column) {
        const auto value = static_cast<Value>(scaled(source, group.from[which], begin + column));
        to[which * padded + column] = value;
        if (transposed != nullptr) transposed[column * row_count + which] = value;
      }
  }
  std::fill(to + group.used * padded, to + padding * padded, Value{0});
  for (std::int64_t column = 0; transposed != nullptr && group.used < padding && column < count; ++column)
    std::fill(transposed + column * row_count + group.used, transposed + column * row_count + padding, Value{0});
  if (count == padded) return;
  for (std::int64_t which = 0; which < group.used; ++which)
    std::fill(to + which * padded + count, to + (which + 1) * padded, Value{0});
}

// Gathers a group of rows by columns; `from(which)` is one of the rows. Returns false, without storing any, if they
// have too few features.
template <class Rows>
bool gather_group(const RowSource& source, const Rows& from, std::int64_t row_count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t count = source.feature_count;
  if (count < 4) return false;
  for (std::int64_t row = 0; row < padding; row += lanes)
    for (std::int64_t next = 0; next < count; next += 4) {
      const std::int64_t column = std::min(next, count - 4);  // the last squares may overlap
      transpose_square(
          d, [&](std::int64_t which) { return from(row + which) + column; },
          [&](auto* rows) {
            if (source.fill != nullptr)
              fill_empty_cells(load_blocks(d, [&](std::int64_t) { return source.fill + column; }), rows);
            if (source.shift != nullptr)
              scale(load_blocks(d, [&](std::int64_t) { return source.shift + column; }),
                    load_blocks(d, [&](std::int64_t) { return source.scale + column; }), rows);
            if (source.clip != nullptr) clip(load_blocks(d, [&](std::int64_t) { return source.clip + column; }), rows);
          },
          to + column * row_count + row, row_count);
    }
  return true;
}

template <class Rows>
bool gather_group(const RowSource&, const Rows&, std::int64_t, double*) {
  return false;
}

// The rows of a batch.
template <class Feature>
struct Batch {
  const Feature* features;
  std::int64_t feature_count;
  const std::int64_t* rows;  // null: the first rows
  std::int64_t count;

  const Feature* row(std::int64_t index) const {
    return features + (rows == nullptr ? index : rows[index]) * feature_count;
  }

  RowGroup<Feature> group(std::int64_t first) const {
    RowGroup<Feature> group{{}, std::min(padding, count - first)};
    for (std::int64_t which = 0; which < padding; ++which)
      group.from[which] = row(first + std::min(which, group.used - 1));
    return group;
  }
};

template <class Rows, class Value>
void gather_columns(const RowSource& source, const Rows& from, std::int64_t used, std::int64_t row_count,
                    Value* columns) {
  if (!gather_group(source, from, row_count, columns)) {
    for (std::int64_t which = 0; which < padding; ++which)
      for (std::int64_t feature = 0; feature < source.feature_count; ++feature)
        columns[feature * row_count + which] = static_cast<Value>(scaled(source, from(which), feature));
  }
  for (std::int64_t feature = 0; used < padding && feature < source.feature_count; ++feature)
    std::fill(columns + feature * row_count + used, columns + feature * row_count + padding, Value{0});
}

template <class Feature, class Value>
void gather_columns(const RowSource& source, const Batch<Feature>& batch, std::int64_t row_count, Value* columns) {
  for (std::int64_t first = 0; first < row_count; first += padding) {
    if (batch.rows == nullptr && first + padding <= batch.count) {
      const Feature* row = batch.row(first);
      gather_columns(
          source, [=](std::int64_t which) { return row + which * batch.feature_count; }, padding, row_count,
          columns + first);
    } else {
      const RowGroup<Feature> group = batch.group(first);
      gather_columns(
          source, [&](std::int64_t which) { return group.from[which]; }, group.used, row_count, columns + first);
    }
  }
}

// Rows are scattered over the data set, so the hardware does not prefetch them. Short rows need no prefetching, because
// out-of-order execution reaches far enough ahead.
constexpr std::int64_t prefetched_features = 32;

template <class Feature>
void prefetch(const Feature* row, std::int64_t count) {
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Feature));
  for (std::int64_t feature = 0; feature < count; feature += line) hwy::Prefetch(row + feature);
}

template <class Feature, class Value>
void gather_from(const RowSource& source, const Batch<Feature>& batch, std::int64_t row_count, Value* blocks,
                 Value* columns) {
  if (blocks == nullptr) return gather_columns(source, batch, row_count, columns);
  const FeatureBlocks cut{source.feature_count};
  for (std::int64_t first = 0; first < row_count; first += padding) {
    const RowGroup<Feature> group = batch.group(first);
    for (std::int64_t block = 0; block < cut.count(); ++block) {
      gather_block(source, cut, block, group, first, row_count, blocks, columns);
      if (source.feature_count < prefetched_features) continue;
      for (std::int64_t next = first + padding; next < std::min(first + 2 * padding, batch.count); ++next)
        prefetch(batch.row(next) + block * FeatureBlocks::width, cut.columns(block));
    }
  }
}

template <class Value>
void gather(const RowSource& source, const std::int64_t* rows, std::int64_t count, std::int64_t row_count,
            Value* blocks, Value* columns) {
  const std::int64_t width = source.feature_count;
  if (source.features != nullptr)
    gather_from(source, Batch<float>{source.features, width, rows, count}, row_count, blocks, columns);
  else
    gather_from(source, Batch<std::uint8_t>{source.bytes, width, rows, count}, row_count, blocks, columns);
}

const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}

MoveKernels<float> float_table() {
  return {gather<float>, transpose<float, std::int64_t>};
}

MoveKernels<double> double_table() {
  return {gather<double>, transpose<double, std::int64_t>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {

HWY_EXPORT(float_table);
HWY_EXPORT(double_table);
HWY_EXPORT(target_name);

template <>
MoveKernels<float> move_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}

template <>
MoveKernels<double> move_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

const char* instruction_set() {
  return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace sheaf
#endif
