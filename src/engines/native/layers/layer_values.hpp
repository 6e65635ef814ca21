// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_range.hpp"
#include "engines/native/kernels/arena.hpp"
#include "engines/native/kernels/feature_blocks.hpp"
#include "engines/native/kernels/kernels.hpp"

namespace sheaf {

/// A one-hot encoded feature between an encoding and the next layer. Only its level is stored, instead of a 1 for the
/// level and a 0 for each other one; the next layer looks up the weights of the level (LevelTable).
struct CodedFeature {
  std::int64_t features_before = 0;  ///< of the features that are stored as values
  std::int64_t first_level = 0;      ///< row of the table
  std::int64_t levels = 0;
};

/// Calls values(range) or levels(range) for the inputs of a layer in the order of initial_weights(): ranges of the
/// `features` that are stored as values, and of the rows of the table of `codes`.
template <class UseValues, class UseLevels>
void for_each_input_range(std::int64_t features, const std::vector<CodedFeature>& codes, const UseValues& values,
                          const UseLevels& levels) {
  std::int64_t done = 0;
  for (const CodedFeature& code : codes) {
    if (code.features_before > done) values(IndexRange{done, code.features_before});
    done = code.features_before;
    levels(IndexRange{code.first_level, code.first_level + code.levels});
  }
  if (features > done) values(IndexRange{done, features});
}

/// The values [rows, features] between two layers, for the rows of a tile, in one layout or both. Activations and norms
/// change them in place. Their gradients have the layout in which they are written. Those of an encoding also have the
/// levels of one-hot encoded features.
template <class Value>
struct LayerValues {
  enum class Source { gathered, columns, rows };

  FeatureBlocks cut;
  Source source = Source::gathered;                ///< how they are written; gathered: in all layouts that are needed
  bool needs_columns = false, needs_rows = false;  ///< the layouts that the next layer reads
  Value* columns = nullptr;                        ///< [features, row_count]; null: not used
  Value* rows = nullptr;                           ///< in row-major blocks (FeatureBlocks); null: not used
  std::vector<CodedFeature> codes;
  BinNumber<Value>* levels = nullptr;  ///< [row_count, codes]: rows of the table; negative: no level

  std::int64_t code_count() const { return static_cast<std::int64_t>(codes.size()); }
  /// The rows of the table.
  std::int64_t level_count() const { return codes.empty() ? 0 : codes.back().first_level + codes.back().levels; }

  void lay_out_levels(ArenaLayout& arena, std::int64_t max_rows) {
    levels = arena.take<BinNumber<Value>>(code_count() * max_rows);
  }
  void lay_out(ArenaLayout& arena, std::int64_t max_rows) {
    const std::int64_t count = cut.total_columns() * max_rows;
    if (needs_columns || source == Source::columns) columns = arena.take<Value>(count);
    if (needs_rows || source == Source::rows) rows = arena.take<Value>(count);
    lay_out_levels(arena, max_rows);
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
