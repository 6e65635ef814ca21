// Feature columns of CSV files: numbers, and texts that become codes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/data_description.hpp"
#include "data/import/csv_numbers.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// The maximum number of categories of a column. A column with more is probably an identifier of the rows.
constexpr std::size_t max_categories = 1000;

/// The treatment of empty cells of feature columns. mean, median, value: they are replaced in columns of numbers; in
/// columns of texts they are a category of their own, with an empty name. drop: their rows are left out.
struct MissingCells {
  enum class Kind { error, mean, median, value, drop };
  Kind kind = Kind::error;
  float value = 0;  ///< for Kind::value
};

/// Thrown for a cell that cannot be read; the caller knows where it is.
struct BadCell {
  std::string reason;  ///< "contains 'x' (a number is expected)"
  std::string advice;  ///< what to do besides correcting the cell, such as ", or drop the column with --drop=2"
};

/// One column. Its first cell that is not empty decides whether it has numbers or texts; a mixture is an error, unless
/// the column was declared as text.
class FeatureColumn {
 public:
  /// `option_name`: name or number of the column for --drop and --categorical.
  FeatureColumn(std::string name, std::string option_name, bool declared_text, MissingCells missing);
  /// A column that is encoded as `known`, so cells must have its categories. `ignore_unknown`: a text that is not among
  /// them is 0 in all features of the column, instead of an error.
  FeatureColumn(const DataColumn& known, std::string option_name, MissingCells missing, bool ignore_unknown);

  /// Returns the number of a cell, the code of its text, or NaN for an empty cell. Throws BadCell.
  float read(std::string_view text, CellNumbers& numbers) {
    if (kind_ == Kind::text) return read_other(text, numbers);
    const auto number = numbers.parse<float>(text);
    if (!number || !std::isfinite(*number)) return read_other(text, numbers);
    kind_ = Kind::number;
    return *number;
  }

  /// Describes the column after all cells have been read. `values`: what read() returned, [rows], `stride` apart.
  /// Throws RunError, with `place()` ("column 2 ('y') of 'a.csv'"), if all cells are empty.
  DataColumn describe(const float* values, std::int64_t rows, std::int64_t stride,
                      const std::function<std::string()>& place);

  /// The stored code (data/column_encoding) of a cell of a column of texts, for which read() returned `code`.
  float stored_code(float code) const;

 private:
  enum class Kind { undecided, number, text };

  float read_other(std::string_view text, CellNumbers& numbers);
  float text_code(std::string_view text);
  bool is_category(std::string_view text);
  bool accepts_empty() const;
  [[noreturn]] void refuse_empty(std::string_view text) const;
  [[noreturn]] void refuse_number(std::string_view text, bool is_number) const;
  float fill_of(const float* values, std::int64_t rows, std::int64_t stride) const;
  std::string drop_advice() const;

  std::string name_;
  std::string option_name_;
  MissingCells missing_;
  std::optional<DataColumn> known_;
  bool ignore_unknown_ = false;
  Kind kind_ = Kind::undecided;
  bool declared_text_ = false;
  std::unordered_map<std::string, std::int32_t> codes_;
  std::string key_;
  bool has_empty_cells_ = false;
  std::vector<float> stored_codes_;  // filled by describe()
};

/// Converts `cells`, [rows, columns] as read() returned them, to stored rows (data/column_encoding), and describes the
/// columns. Throws as FeatureColumn::describe(); `place_of` gives the text for a column.
NumberArray encode_columns(std::vector<std::byte> cells, std::int64_t rows, std::vector<FeatureColumn>& columns,
                           const std::function<std::string(std::size_t)>& place_of, std::vector<DataColumn>& described);

}  // namespace sheaf
