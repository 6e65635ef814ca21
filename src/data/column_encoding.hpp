// Turns stored rows into features: chooses and orders columns, subtracts offsets, and replaces the codes of texts by
// those of other lists of categories. Pure.
//
// A stored row, as a row of features, has one number per column: a number minus the offset of its column (NaN: an empty
// cell), or the code of a category, its position in the list of categories (no_category: an empty cell or an unknown
// text).
//
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/data_description.hpp"
#include "data/feature_kind.hpp"

namespace sheaf {

class ColumnEncoding {
 public:
  /// The place of a stored number that is not a code of its column.
  struct BadCode {
    std::int64_t row = 0, column = 0;
    double code = 0;
  };

  /// Stored rows are the features themselves.
  ColumnEncoding() = default;

  /// Rows of a file that `columns` describe.
  static ColumnEncoding of(const std::vector<DataColumn>& columns);

  /// Rows that `stored` describes, as features of the columns `wanted`, such as those of a model. positions[i] is the
  /// stored column of wanted column i. Both must be numbers or both texts. Texts that are not among the wanted
  /// categories are unknown.
  static ColumnEncoding between(const std::vector<DataColumn>& stored, const std::vector<DataColumn>& wanted,
                                const std::vector<std::int64_t>& positions);

  /// Rows of numbers from which offsets are subtracted, one for each column.
  static ColumnEncoding subtracting(const std::vector<double>& offsets);

  /// Whether the stored rows are the features themselves.
  bool is_identity() const { return columns_.empty(); }
  /// Whether offsets are subtracted, so that rows must be read as double.
  bool subtracts() const { return subtracts_; }

  /// Numbers per row. Not defined for an identity.
  std::int64_t stored_count() const { return stored_count_; }
  std::int64_t feature_count() const { return static_cast<std::int64_t>(columns_.size()); }

  /// Writes the features of `rows` stored rows. Adds the number of unknown texts, and of empty texts where the wanted
  /// columns have none, to `unknown`. Returns the first number that is not a code of its column; later features are
  /// then not defined. `Value` is float or double. Not for an identity.
  template <class Value>
  std::optional<BadCode> encode(const Value* stored, std::int64_t rows, float* features, std::int64_t& unknown) const;

 private:
  struct Category {
    float code = no_category;
    bool is_unknown = false;
  };
  struct Column {
    std::int64_t stored = 0;             // position in the stored row
    double offset = 0;                   // subtracted from numbers
    std::vector<Category> categories{};  // of code -1, 0, 1, ...; empty: numbers
  };

  void add(Column column);

  std::vector<Column> columns_;
  std::int64_t stored_count_ = 0;
  bool subtracts_ = false;
};

extern template std::optional<ColumnEncoding::BadCode> ColumnEncoding::encode(const float*, std::int64_t, float*,
                                                                              std::int64_t&) const;
extern template std::optional<ColumnEncoding::BadCode> ColumnEncoding::encode(const double*, std::int64_t, float*,
                                                                              std::int64_t&) const;

/// The offset of each feature; empty if all are 0.
std::vector<double> feature_offsets(const std::vector<DataColumn>& columns);

/// The note on `cells` that encode() or an import has found to be unknown.
std::string unknown_cells_note(std::int64_t cells);

}  // namespace sheaf
