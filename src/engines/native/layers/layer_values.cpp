// SPDX-License-Identifier: MIT
#include "engines/native/layers/layer_values.hpp"

#include <algorithm>

namespace sheaf {

template <class Value>
void LayerValues<Value>::to_rows(std::int64_t row_count, Value* from, Value* to) const {
  std::fill(from + cut.features * row_count, from + cut.total_columns() * row_count, Value{0});
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, row_count), padded = cut.padded(block);
    move_.transpose(from + offset, row_count, padded, row_count, to + offset, padded);
  }
}

template <class Value>
void LayerValues<Value>::to_columns(std::int64_t row_count, const Value* from, Value* to) const {
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const std::int64_t offset = cut.offset(block, row_count), padded = cut.padded(block);
    move_.transpose(from + offset, padded, row_count, padded, to + offset, row_count);
  }
}

template struct LayerValues<float>;
template struct LayerValues<double>;

}  // namespace sheaf
