// Feature columns of CSV files: numbers, parts of dates, and texts that become codes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
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

/// The treatment of empty cells of features. median, mean, value: they stay empty, and the description defines how
/// those of numbers are filled when the data are loaded. drop: their rows are left out.
struct MissingCells {
  enum class Kind { median, mean, value, drop, error };
  Kind kind = Kind::median;
  double value = 0;  ///< for Kind::value
};

/// Sorts names: ascending numbers if all are numbers, otherwise ascending texts.
void sort_names(std::vector<std::string>& names);

/// Thrown for a cell that cannot be read; the caller knows where it is.
struct BadCell {
  std::string reason;  ///< "contains 'x' (a number is expected)"
  std::string advice;  ///< what to do besides correcting the cell, such as ", or drop the column with --drop=2"
};

/// Collects numbers that are added one by one. Never copies them to grow.
class CellBlocks {
 public:
  CellBlocks() = default;
  CellBlocks(CellBlocks&&) = default;
  CellBlocks& operator=(CellBlocks&&) = default;

  void add(double value) {
    if (last_ == nullptr || last_->size() == block_cells) {
      last_ = &blocks_.emplace_back();
      last_->reserve(block_cells);
    }
    last_->push_back(value);
  }
  double operator[](std::size_t index) const { return blocks_[index / block_cells][index % block_cells]; }

  /// Calls `take` with the numbers, in order, and frees them.
  template <class Take>
  void consume(const Take& take) {
    last_ = nullptr;
    for (; !blocks_.empty(); blocks_.pop_front())
      for (const double value : blocks_.front()) take(value);
  }

 private:
  static constexpr std::size_t block_cells = std::size_t{1} << 19;
  std::deque<std::vector<double>> blocks_;
  std::vector<double>* last_ = nullptr;
};

/// The offset (data/column_offset) of the numbers cells[first], cells[first + stride], ..., `rows` in all, by a random
/// sample. NaN is ignored.
double sampled_offset(const CellBlocks& cells, std::int64_t rows, std::int64_t first, std::int64_t stride);

/// A column of numbers, of a part of dates, or of texts.
class FeatureColumn {
 public:
  enum class Kind { undecided, number, date, text };
  /// The cells of a known column that are errors. unknown_texts: those that are not among its categories, also empty
  /// ones.
  enum class Refused { nothing, unknown_texts, unknown_texts_and_empty_cells };

  /// A column whose description is learned. `option_name`: name or number of the column for --drop and --categorical.
  /// `empty` must outlive this object. undecided: the first cell that is not empty decides.
  FeatureColumn(std::string name, std::string option_name, Kind kind, MissingCells missing, const EmptyCells& empty);
  /// A part of a column of dates, `column.date`.
  FeatureColumn(DataColumn column, std::string option_name, MissingCells missing, const EmptyCells& empty);
  /// A column that is encoded as `known`.
  FeatureColumn(const DataColumn& known, std::string option_name, MissingCells missing, const EmptyCells& empty,
                Refused refused);

  /// How the dates are written, if not as those of the known data.
  void set_format(DateFormat format) { format_ = format; }
  /// How the numbers of the current file are written.
  void set_form(const NumberForm& form) {
    form_ = form;
    is_simple_ = form.is_plain() && !empty_->has_numbers();
  }
  Kind kind() const { return kind_; }
  bool is_known() const { return known_.has_value(); }

  /// Returns the number of a cell, the part of its date, the code of its text, or NaN for an empty cell. Throws
  /// BadCell.
  double read(std::string_view text) {
    if (kind_ != Kind::number || !is_simple_) return read_other(text);
    const auto number = parse_number<double>(text);
    return number && fits_float(*number) ? *number : read_other(text);
  }

  bool is_empty(std::string_view text) const;
  std::int64_t empty_cells() const { return empty_count_; }
  /// Cells with texts that are not among the known categories.
  std::int64_t unknown_cells() const { return unknown_count_; }
  const std::string& unknown_text() const { return unknown_text_; }

  /// Describes the column after all cells have been read, apart from its offset. Throws RunError, with `place()`
  /// ("column 2 ('y') of 'a.csv'"), if all cells are empty.
  DataColumn describe(const std::function<std::string()>& place);

  /// The stored code (data/column_encoding) of a cell of a column of texts, for which read() returned `code`.
  float stored_code(double code) const;

 private:
  static bool fits_float(double value) { return std::abs(value) <= 3.4028234663852886e38; }
  double read_other(std::string_view text);
  double read_number(std::string_view text);
  double read_date(std::string_view text);
  double read_text(std::string_view text);
  std::int32_t find_code(const std::string& text) const;
  double add_empty(std::string_view text);
  [[noreturn]] void refuse_empty(std::string_view text) const;
  [[noreturn]] void refuse_number(std::string_view text, bool is_number) const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& cell) const;
  std::string drop_advice() const;

  std::string name_;
  std::string option_name_;
  Kind kind_;
  MissingCells missing_;
  const EmptyCells* empty_;
  std::optional<DataColumn> known_;
  Refused refused_ = Refused::nothing;
  std::optional<DateSource> date_;
  DateFormat format_ = DateFormat::iso;  // of dates
  NumberForm form_;
  bool is_simple_ = false;  // numbers have a point, and none of them means an empty cell
  std::unordered_map<std::string, std::int32_t> codes_;
  std::unordered_map<double, std::int32_t> codes_of_numbers_;  // 1 and 1.0 are one category
  std::string key_;
  std::int64_t empty_count_ = 0;
  std::int64_t unknown_count_ = 0;
  std::string unknown_text_;         // the first one
  std::vector<float> stored_codes_;  // filled by describe()
};

/// Converts `cells`, [rows, columns] as read() returned them, to stored rows (data/column_encoding), and describes the
/// columns. Throws as FeatureColumn::describe(); `place_of` gives the text for a column.
NumberArray encode_columns(CellBlocks cells, std::int64_t rows, std::vector<FeatureColumn>& columns,
                           const std::function<std::string(std::size_t)>& place_of, std::vector<DataColumn>& described);

}  // namespace sheaf
