// SPDX-License-Identifier: MIT
#include "engines/native/layers/level_table.hpp"

#include <algorithm>

namespace sheaf {

template <class Value>
LevelTable<Value>::LevelTable(const LayerValues<Value>& inputs, const LayerValues<Value>& outputs,
                              Parameters<Value>& parameters, Order order)
    : inputs_(inputs), outputs_(outputs), parameters_(parameters), by_rows_(order == Order::rows) {
  if (is_empty()) return;
  weights_ = parameters.add_weights(by_rows_ ? inputs.level_count() * outputs.cut.total_columns()
                                             : round_up(inputs.level_count(), padding) * outputs.cut.features);
}

template <class Value>
typename LevelTable<Value>::Part LevelTable<Value>::part(std::int64_t number, std::int64_t row_count) const {
  const std::int64_t levels = inputs_.level_count(), padded = round_up(levels, padding);
  if (!by_rows_) return {weights_ + number * padded, padded, 1, number * row_count};
  const FeatureBlocks& cut = outputs_.cut;
  const std::int64_t width = cut.padded(number);
  return {weights_ + cut.offset(number, levels), levels * width, width, cut.offset(number, row_count)};
}

template <class Value>
Segment LevelTable<Value>::segment(IndexRange levels, std::int64_t output) const {
  const std::int64_t block = outputs_.cut.block_of(output);
  const Part place = part(by_rows_ ? block : output, 0);
  const std::int64_t column = by_rows_ ? output - block * FeatureBlocks::width : 0;
  return {place.offset + levels.begin * place.width + column, place.width, levels.count()};
}

template <class Value>
void LevelTable<Value>::forward(const TilePass& pass, Value* outputs) const {
  const RowLevels<Value> rows{inputs_.levels, inputs_.code_count(), pass.row_count};
  for (std::int64_t number = 0; number < part_count(); ++number) {
    const Part place = part(number, pass.row_count);
    if (by_rows_)
      kernels_.sum_levels(parameters_.at(place.offset), rows, place.width, outputs + place.outputs);
    else
      kernels_.sum_output(parameters_.at(place.offset), rows, outputs + place.outputs);
  }
}

// Adds only the gradients of the rows of the data, without the padding.
template <class Value>
void LevelTable<Value>::backward(const TilePass& pass, const Value* gradients) {
  const RowLevels<Value> rows{inputs_.levels, inputs_.code_count(), pass.count};
  for (std::int64_t number = 0; number < part_count(); ++number) {
    const Part place = part(number, pass.row_count);
    Value* sums = parameters_.gradients_at(place.offset);
    if (pass.tile->first) std::fill_n(sums, place.count, Value{0});
    if (by_rows_)
      kernels_.sum_levels_gradient(rows, gradients + place.outputs, place.width, sums);
    else
      kernels_.sum_output_gradient(rows, gradients + place.outputs, sums);
    if (pass.updates) parameters_.update(sums, place.offset, place.count);
  }
}

template class LevelTable<float>;
template class LevelTable<double>;

}  // namespace sheaf
