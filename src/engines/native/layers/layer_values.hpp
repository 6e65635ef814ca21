// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/native/kernels/arena.hpp"
#include "engines/native/kernels/feature_blocks.hpp"
#include "engines/native/kernels/kernels.hpp"

namespace sheaf {

/// The values [rows, features] between two layers, for the rows of a tile, in one layout or both. Activations and norms
/// change them in place. Their gradients have the layout in which they are written.
template <class Value>
struct LayerValues {
  enum class Source { gathered, columns, rows };

  FeatureBlocks cut;
  Source source = Source::gathered;                ///< how they are written; gathered: in all layouts that are needed
  bool needs_columns = false, needs_rows = false;  ///< the layouts that the next layer reads
  Value* columns = nullptr;                        ///< [features, row_count]; null: not used
  Value* rows = nullptr;                           ///< in row-major blocks (FeatureBlocks); null: not used

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) {
    const std::int64_t count = cut.total_columns() * max_rows;
    if (needs_columns || source == Source::columns) columns = arena.take<Value>(count);
    if (needs_rows || source == Source::rows) rows = arena.take<Value>(count);
  }

  void fill_rows(std::int64_t row_count) const { to_rows(row_count, columns, rows); }
  void fill_columns(std::int64_t row_count) const { to_columns(row_count, rows, columns); }

  /// Copies values or gradients from one layout to the other. Sets the padding of `from`, too, to zero.
  void to_rows(std::int64_t row_count, Value* from, Value* to) const;
  void to_columns(std::int64_t row_count, const Value* from, Value* to) const;

 private:
  MoveKernels<Value> move_ = move_kernels<Value>();
};

}  // namespace sheaf
