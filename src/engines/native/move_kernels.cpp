// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engines/native/move_kernels.cpp"  // this file, compiled once for each instruction set
#include <hwy/foreach_target.h>
// Highway asks for this order.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "engines/native/feature_blocks.hpp"
#include "engines/native/kernels.hpp"

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

// The first columns, a square's, of as many rows as a vector has lanes, as `change` leaves them, stored by columns.
template <class D, class Rows, class Change>
HWY_INLINE void turn_square(D d, const Rows& rows, const Change& change, hn::TFromD<D>* to, std::int64_t to_stride) {
  hn::Vec<D> square_rows[square<D>];
  for (std::int64_t which = 0; which < square<D>; ++which)
    square_rows[which] = load_blocks(d, [&](std::int64_t row) { return rows(row + which); });
  change(square_rows);
  turn_over(d, square_rows);
  for (std::int64_t which = 0; which < square<D>; ++which) hn::StoreU(square_rows[which], d, to + which * to_stride);
}

// The stride may be a constant: rows are then where one register says.
template <class Value, class Stride>
void turn(const Value* from, Stride from_stride, std::int64_t row_count, std::int64_t column_count, Value* to,
          std::int64_t to_stride) {
  const hn::ScalableTag<Value> d;
  constexpr std::int64_t side = square<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < row_count; row += lanes)
    for (std::int64_t place = 0; place < column_count; place += side) {
      const std::int64_t column = std::min(place, column_count - side);  // the last ones may be done twice
      const Value* corner = from + row * from_stride + column;
      turn_square(
          d, [&](std::int64_t which) { return corner + which * from_stride; }, [](const auto*) {},
          to + column * to_stride + row, to_stride);
    }
}

// The functions below take rows of floats or of bytes: Feature.

template <class Feature>
float scaled(const RowSource& source, const Feature* row, std::int64_t feature) {
  const auto value = static_cast<float>(row[feature]);
  return source.shift == nullptr ? value : (value - source.shift[feature]) * source.scale[feature];
}

template <class V>
HWY_INLINE void scale(V shift, V scale, V* rows) {
  for (int which = 0; which < 4; ++which) rows[which] = hn::Mul(hn::Sub(rows[which], shift), scale);
}

// `count` features from `begin` on of four rows, scaled. Not inlined, so that registers hold where they are.
template <class Feature>
HWY_NOINLINE void scale_rows(const RowSource& source, const Feature* const* from, std::int64_t begin,
                             std::int64_t count, float* to, std::int64_t to_stride) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Feature *row0 = from[0] + begin, *row1 = from[1] + begin, *row2 = from[2] + begin, *row3 = from[3] + begin;
  for (std::int64_t place = 0; place < count; place += lanes) {
    const std::int64_t column = std::min(place, count - lanes);  // the last ones may be done twice
    hn::Vec<decltype(d)> rows[] = {load_values(d, row0 + column), load_values(d, row1 + column),
                                   load_values(d, row2 + column), load_values(d, row3 + column)};
    if (source.shift != nullptr)
      scale(hn::LoadU(d, source.shift + begin + column), hn::LoadU(d, source.scale + begin + column), rows);
    for (int which = 0; which < 4; ++which) hn::StoreU(rows[which], d, to + which * to_stride + column);
  }
}

// `count` features from `begin` on of as many rows as a cache line holds: scaled, stored by rows, and from there turned
// over (unless `turned` is null), while they are in the first-level cache. False: not done, there are too few.
template <class Feature>
bool gather_rows(const RowSource& source, const Feature* const* from, std::int64_t begin, std::int64_t count, float* to,
                 std::int64_t to_stride, float* turned, std::int64_t turned_stride) {
  if (count < static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<float>()))) return false;
  for (std::int64_t row = 0; row < padding; row += 4)
    scale_rows(source, from + row, begin, count, to + row * to_stride, to_stride);
  constexpr std::integral_constant<std::int64_t, FeatureBlocks::width> usual_stride;
  if (turned == nullptr) return true;
  if (to_stride == usual_stride)
    turn(to, usual_stride, padding, count, turned, turned_stride);
  else
    turn(to, to_stride, padding, count, turned, turned_stride);
  return true;
}

template <class Feature>
bool gather_rows(const RowSource&, const Feature* const*, std::int64_t, std::int64_t, double*, std::int64_t, double*,
                 std::int64_t) {
  return false;
}

// A line of rows: as many as a cache line holds, of which only `used` are wanted. The others are any rows, so that no
// vector is cut short, and become zero in the end.
template <class Feature>
struct RowLine {
  const Feature* from[padding];
  std::int64_t used;
};

// A line of rows, one block of their features, from place `place` of the batch on. `columns`: may be null.
template <class Feature, class Value>
void gather_block(const RowSource& source, const FeatureBlocks& cut, std::int64_t block, const RowLine<Feature>& line,
                  std::int64_t place, std::int64_t row_count, Value* blocks, Value* columns) {
  const std::int64_t begin = block * FeatureBlocks::width, padded = cut.padded(block), count = cut.columns(block);
  Value* to = blocks + cut.offset(block, row_count) + place * padded;
  Value* turned = columns == nullptr ? nullptr : columns + cut.offset(block, row_count) + place;
  if (!gather_rows(source, line.from, begin, count, to, padded, turned, row_count)) {
    for (std::int64_t which = 0; which < padding; ++which)
      for (std::int64_t column = 0; column < count; ++column) {
        const auto value = static_cast<Value>(scaled(source, line.from[which], begin + column));
        to[which * padded + column] = value;
        if (turned != nullptr) turned[column * row_count + which] = value;
      }
  }
  std::fill(to + line.used * padded, to + padding * padded, Value{0});
  for (std::int64_t column = 0; turned != nullptr && line.used < padding && column < count; ++column)
    std::fill(turned + column * row_count + line.used, turned + column * row_count + padding, Value{0});
  if (count == padded) return;
  for (std::int64_t which = 0; which < line.used; ++which)
    std::fill(to + which * padded + count, to + (which + 1) * padded, Value{0});
}

// A line of rows, `from(which)`. False: not done, they have too few features.
template <class Rows>
bool gather_line(const RowSource& source, const Rows& from, std::int64_t row_count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t count = source.feature_count;
  if (count < 4) return false;
  for (std::int64_t row = 0; row < padding; row += lanes)
    for (std::int64_t place = 0; place < count; place += 4) {
      const std::int64_t column = std::min(place, count - 4);  // the last ones may be done twice
      turn_square(
          d, [&](std::int64_t which) { return from(row + which) + column; },
          [&](auto* rows) {
            if (source.shift != nullptr)
              scale(load_blocks(d, [&](std::int64_t) { return source.shift + column; }),
                    load_blocks(d, [&](std::int64_t) { return source.scale + column; }), rows);
          },
          to + column * row_count + row, row_count);
    }
  return true;
}

template <class Rows>
bool gather_line(const RowSource&, const Rows&, std::int64_t, double*) {
  return false;
}

// The rows of a batch.
template <class Feature>
struct Batch {
  const Feature* features;
  std::int64_t feature_count;
  const std::int64_t* rows;  // null: the first ones
  std::int64_t count;

  const Feature* row(std::int64_t place) const {
    return features + (rows == nullptr ? place : rows[place]) * feature_count;
  }

  RowLine<Feature> line(std::int64_t place) const {
    RowLine<Feature> line{{}, std::min(padding, count - place)};
    for (std::int64_t which = 0; which < padding; ++which)
      line.from[which] = row(place + std::min(which, line.used - 1));
    return line;
  }
};

template <class Rows, class Value>
void gather_columns(const RowSource& source, const Rows& from, std::int64_t used, std::int64_t row_count,
                    Value* columns) {
  if (!gather_line(source, from, row_count, columns)) {
    for (std::int64_t which = 0; which < padding; ++which)
      for (std::int64_t feature = 0; feature < source.feature_count; ++feature)
        columns[feature * row_count + which] = static_cast<Value>(scaled(source, from(which), feature));
  }
  for (std::int64_t feature = 0; used < padding && feature < source.feature_count; ++feature)
    std::fill(columns + feature * row_count + used, columns + feature * row_count + padding, Value{0});
}

template <class Feature, class Value>
void gather_columns(const RowSource& source, const Batch<Feature>& batch, std::int64_t row_count, Value* columns) {
  for (std::int64_t place = 0; place < row_count; place += padding) {
    if (batch.rows == nullptr && place + padding <= batch.count) {
      const Feature* first = batch.row(place);
      gather_columns(
          source, [=](std::int64_t which) { return first + which * batch.feature_count; }, padding, row_count,
          columns + place);
    } else {
      const RowLine<Feature> line = batch.line(place);
      gather_columns(
          source, [&](std::int64_t which) { return line.from[which]; }, line.used, row_count, columns + place);
    }
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
void gather_from(const RowSource& source, const Batch<Feature>& batch, std::int64_t row_count, Value* blocks,
                 Value* columns) {
  if (blocks == nullptr) return gather_columns(source, batch, row_count, columns);
  const FeatureBlocks cut{source.feature_count};
  for (std::int64_t place = 0; place < row_count; place += padding) {
    const RowLine<Feature> line = batch.line(place);
    for (std::int64_t block = 0; block < cut.count(); ++block) {
      gather_block(source, cut, block, line, place, row_count, blocks, columns);
      if (source.feature_count < prefetched_features) continue;
      for (std::int64_t next = place + padding; next < std::min(place + 2 * padding, batch.count); ++next)
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
  return {gather<float>, turn<float, std::int64_t>};
}

MoveKernels<double> double_table() {
  return {gather<double>, turn<double, std::int64_t>};
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
