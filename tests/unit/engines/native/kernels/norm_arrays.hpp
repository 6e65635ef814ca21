// Helpers for tests of the kernels of norms.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/native/kernels/kernels.hpp"
#include "kernel_arrays.hpp"

namespace sheaf::test {

/// The values, with zeros up to a multiple of the padding.
template <class Value>
std::vector<Value> padded(std::vector<Value> values) {
  values.resize(at(round_up(static_cast<std::int64_t>(values.size()), padding)));
  return values;
}

/// The matrix [features, rows] in row-major blocks, with zeros in the padding.
template <class Value>
std::vector<Value> in_blocks(const std::vector<Value>& columns, const FeatureBlocks& cut, std::int64_t rows) {
  std::vector<Value> blocks(at(cut.total_columns() * rows));
  for (std::int64_t feature = 0; feature < cut.features; ++feature)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t block = cut.whole ? 0 : feature / FeatureBlocks::width;
      blocks[at(cut.offset(block, rows) + row * cut.padded(block) + feature - block * FeatureBlocks::width)] =
          columns[at(feature * rows + row)];
    }
  return blocks;
}

/// How the values of a norm are stored.
enum class Layout { columns, blocks, whole_rows };

}  // namespace sheaf::test
