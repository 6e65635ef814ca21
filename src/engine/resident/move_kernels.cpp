// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/resident/move_kernels.cpp"  // this file, compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway asks for this order.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

#include "engine/resident/feature_blocks.hpp"
#include "engine/resident/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Matrices are turned over in squares of as many values as 16 bytes hold, as many squares at once as a vector has such
// blocks: block b holds a piece of row b * square + k before, and of column k after.
template <class D>
constexpr std::int64_t square = 16 / sizeof(hn::TFromD<D>);

// As many values as a vector has lanes; bytes become floats.
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

// Block b from rows(b * square).
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

// Block b to rows(b * square).
template <class D, class Rows>
HWY_INLINE void store_blocks(D d, hn::Vec<D> values, const Rows& rows, std::int64_t first = 0) {
  if constexpr (hn::MaxLanes(D()) <= square<D>) {
    hn::StoreU(values, d, rows(first));
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, values), rows, first);
    store_blocks(half, hn::UpperHalf(half, values), rows, first + static_cast<std::int64_t>(hn::MaxLanes(half)));
  }
}

// Turns the squares of `rows` over, in place: what were their rows are now their columns.
template <class D>
HWY_INLINE void turn_over(D d, hn::Vec<D>* rows) {
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

template <class Value>
void transpose(const Value* from, std::int64_t from_stride, std::int64_t row_count, std::int64_t column_count,
               Value* to, std::int64_t to_stride) {
  const hn::ScalableTag<Value> d;
  constexpr std::int64_t side = square<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < row_count; row += lanes) {
    for (std::int64_t column = 0; column < column_count; column += side) {
      const Value* corner = from + row * from_stride + column;
      hn::Vec<decltype(d)> rows[side];
      for (std::int64_t which = 0; which < side; ++which)
        rows[which] =
            load_blocks(d, [&](std::int64_t block_row) { return corner + (block_row + which) * from_stride; });
      turn_over(d, rows);
      for (std::int64_t which = 0; which < side; ++which)
        hn::StoreU(rows[which], d, to + (column + which) * to_stride + row);
    }
  }
}

// The functions below take rows of floats or of bytes: Feature.

template <class Feature>
float scaled(const RowSource& source, const Feature* row, std::int64_t feature) {
  const auto value = static_cast<float>(row[feature]);
  return source.shift == nullptr ? value : (value - source.shift[feature]) * source.scale[feature];
}

template <class V>
HWY_INLINE void scale_rows(V shift, V scale, V* rows) {
  for (int which = 0; which < 4; ++which) rows[which] = hn::Mul(hn::Sub(rows[which], shift), scale);
}

// Features `feature` and on of four rows, as many as a vector has lanes: scaled, stored by rows and by columns.
template <class D, class Feature>
HWY_INLINE void gather_wide(D d, const RowSource& source, const Feature* const* from, std::int64_t feature, float* to,
                            std::int64_t to_stride, float* turned, std::int64_t turned_stride) {
  hn::Vec<D> rows[4];
  for (int which = 0; which < 4; ++which) rows[which] = load_values(d, from[which] + feature);
  if (source.shift != nullptr)
    scale_rows(hn::LoadU(d, source.shift + feature), hn::LoadU(d, source.scale + feature), rows);
  for (int which = 0; which < 4; ++which) hn::StoreU(rows[which], d, to + which * to_stride);
  turn_over(d, rows);
  for (int which = 0; which < 4; ++which)
    store_blocks(d, rows[which], [&](std::int64_t column) { return turned + (column + which) * turned_stride; });
}

// `count` features from `begin` on of as many rows as a cache line holds. False: not done, there are too few.
template <class Feature>
bool gather_rows(const RowSource& source, const Feature* const* from, std::int64_t begin, std::int64_t count, float* to,
                 std::int64_t to_stride, float* turned, std::int64_t turned_stride) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) return false;
  for (std::int64_t row = 0; row < padding; row += 4)
    for (std::int64_t place = 0; place < count; place += lanes) {
      const std::int64_t column = std::min(place, count - lanes);  // the last ones may be done twice
      gather_wide(d, source, from + row, begin + column, to + row * to_stride + column, to_stride,
                  turned + column * turned_stride + row, turned_stride);
    }
  return true;
}

template <class Feature>
bool gather_rows(const RowSource&, const Feature* const*, std::int64_t, std::int64_t, double*, std::int64_t, double*,
                 std::int64_t) {
  return false;
}

// As many rows as a cache line holds, one block of their features, from place `place` of the batch on. Null rows are
// padding.
template <class Feature, class Value>
void gather_block(const RowSource& source, const FeatureBlocks& cut, std::int64_t block, const Feature* const* from,
                  std::int64_t place, std::int64_t row_count, Value* blocks, Value* columns) {
  const std::int64_t begin = block * FeatureBlocks::width, padded = cut.padded(block), count = cut.columns(block);
  Value* to = blocks + cut.offset(block, row_count) + place * padded;
  Value* turned = columns + cut.offset(block, row_count) + place;
  if (from[padding - 1] == nullptr || !gather_rows(source, from, begin, count, to, padded, turned, row_count)) {
    for (std::int64_t which = 0; which < padding; ++which) {
      for (std::int64_t column = 0; column < count; ++column) {
        const float value = from[which] == nullptr ? 0 : scaled(source, from[which], begin + column);
        to[which * padded + column] = turned[column * row_count + which] = static_cast<Value>(value);
      }
    }
  }
  if (count == padded) return;
  for (std::int64_t which = 0; which < padding; ++which)
    std::fill(to + which * padded + count, to + (which + 1) * padded, Value{0});
}

// Features `feature` and the three after it of as many rows as a vector has lanes: scaled and turned over.
template <class D, class Feature>
HWY_INLINE void gather_squares(D d, const RowSource& source, const Feature* const* from, std::int64_t feature,
                               float* to, std::int64_t to_stride) {
  hn::Vec<D> rows[4];
  for (int which = 0; which < 4; ++which)
    rows[which] = load_blocks(d, [&](std::int64_t row) { return from[row + which] + feature; });
  if (source.shift != nullptr)
    scale_rows(load_blocks(d, [&](std::int64_t) { return source.shift + feature; }),
               load_blocks(d, [&](std::int64_t) { return source.scale + feature; }), rows);
  turn_over(d, rows);
  for (int which = 0; which < 4; ++which) hn::StoreU(rows[which], d, to + which * to_stride);
}

// As many rows as a cache line holds. False: not done, they have too few features.
template <class Feature>
bool gather_line(const RowSource& source, const Feature* const* from, std::int64_t row_count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t count = source.feature_count;
  if (count < 4) return false;
  for (std::int64_t row = 0; row < padding; row += lanes)
    for (std::int64_t place = 0; place < count; place += 4) {
      const std::int64_t column = std::min(place, count - 4);  // the last ones may be done twice
      gather_squares(d, source, from + row, column, to + column * row_count + row, row_count);
    }
  return true;
}

template <class Feature>
bool gather_line(const RowSource&, const Feature* const*, std::int64_t, double*) {
  return false;
}

template <class Feature, class Value>
void gather_columns(const RowSource& source, const Feature* features, const std::int64_t* rows, std::int64_t count,
                    std::int64_t row_count, Value* columns) {
  for (std::int64_t place = 0; place < row_count; place += padding) {
    const Feature* from[padding];  // null: a row of padding
    for (std::int64_t which = 0; which < padding; ++which)
      from[which] = place + which < count ? features + rows[place + which] * source.feature_count : nullptr;
    if (from[padding - 1] != nullptr && gather_line(source, from, row_count, columns + place)) continue;
    for (std::int64_t which = 0; which < padding; ++which)
      for (std::int64_t feature = 0; feature < source.feature_count; ++feature)
        columns[feature * row_count + place + which] =
            from[which] == nullptr ? Value{0} : static_cast<Value>(scaled(source, from[which], feature));
  }
}

// Rows lie anywhere in the data set, where the hardware does not foresee them. For short ones the processor's own
// reordering reaches far enough.
constexpr std::int64_t prefetched_features = 32;

template <class Feature>
void prefetch(const Feature* row, std::int64_t count) {
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Feature));
  for (std::int64_t place = 0; place < count; place += line) hwy::Prefetch(row + place);
}

template <class Feature, class Value>
void gather_from(const RowSource& source, const Feature* features, const std::int64_t* rows, std::int64_t count,
                 std::int64_t row_count, Value* blocks, Value* columns) {
  if (blocks == nullptr) return gather_columns(source, features, rows, count, row_count, columns);
  const FeatureBlocks cut{source.feature_count};
  const auto row_at = [&](std::int64_t place) {
    return place < count ? features + rows[place] * source.feature_count : nullptr;
  };
  for (std::int64_t place = 0; place < row_count; place += padding) {
    const Feature* from[padding];
    for (std::int64_t which = 0; which < padding; ++which) from[which] = row_at(place + which);
    for (std::int64_t block = 0; block < cut.count(); ++block) {
      gather_block(source, cut, block, from, place, row_count, blocks, columns);
      if (source.feature_count < prefetched_features) continue;
      for (std::int64_t next = place + padding; next < std::min(place + 2 * padding, count); ++next)
        prefetch(row_at(next) + block * FeatureBlocks::width, cut.columns(block));
    }
  }
}

template <class Value>
void gather(const RowSource& source, const std::int64_t* rows, std::int64_t count, std::int64_t row_count,
            Value* blocks, Value* columns) {
  if (source.features != nullptr)
    gather_from(source, source.features, rows, count, row_count, blocks, columns);
  else
    gather_from(source, source.bytes, rows, count, row_count, blocks, columns);
}

const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}

MoveKernels<float> float_table() {
  return {gather<float>, transpose<float>};
}

MoveKernels<double> double_table() {
  return {gather<double>, transpose<double>};
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
