// SPDX-License-Identifier: MIT
#include "data/import/csv_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"

namespace sheaf {
namespace {

constexpr float empty_cell = std::numeric_limits<float>::quiet_NaN();
constexpr float unknown_text = -1;

// The median as in NumPy: the mean of the two middle values of an even number.
double median(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return double{*middle};
  return (double{*std::max_element(values.begin(), middle)} + double{*middle}) / 2;
}

// Ascending numbers if all names are numbers, otherwise ascending texts.
void sort_names(std::vector<std::string>& names) {
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    const auto number = parse_number<double>(name);
    return number && std::isfinite(*number);
  });
  std::sort(names.begin(), names.end());
  if (!numbers) return;
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return *parse_number<double>(a) < *parse_number<double>(b);
  });
}

}  // namespace

FeatureColumn::FeatureColumn(std::string name, std::string option_name, bool declared_text, MissingCells missing)
    : name_(std::move(name)),
      option_name_(std::move(option_name)),
      missing_(missing),
      kind_(declared_text ? Kind::text : Kind::undecided),
      declared_text_(declared_text) {}

FeatureColumn::FeatureColumn(const DataColumn& known, std::string option_name, MissingCells missing,
                             bool ignore_unknown)
    : name_(known.name),
      option_name_(std::move(option_name)),
      missing_(missing),
      known_(known),
      ignore_unknown_(ignore_unknown),
      kind_(known.is_text() ? Kind::text : Kind::number),
      declared_text_(known.is_text()) {
  for (std::size_t code = 0; code < known.categories.size(); ++code)
    codes_[known.categories[code]] = static_cast<std::int32_t>(code);
}

// A cell that is not a number of a column of numbers.
float FeatureColumn::read_other(std::string_view text, CellNumbers& numbers) {
  if (known_ && is_category(text)) return text_code(text);
  if (is_missing(text)) {
    if (!accepts_empty()) refuse_empty(text);
    has_empty_cells_ = true;
    return empty_cell;
  }
  if (declared_text_) return text_code(text);
  const bool is_number = numbers.parse<float>(text).has_value();
  if (is_number || kind_ == Kind::number) refuse_number(text, is_number);
  kind_ = Kind::text;
  return text_code(text);
}

bool FeatureColumn::is_category(std::string_view text) {
  if (codes_.empty()) return false;
  key_ = as_utf8(text);
  return codes_.count(key_) != 0;
}

void FeatureColumn::refuse_number(std::string_view text, bool is_number) const {
  const std::string cell = quoted(std::string(text));
  if (is_number && kind_ != Kind::text)
    throw BadCell{fmt::format("contains {} (values must be finite in 32-bit floating point)", cell), drop_advice()};
  const std::string advice = known_ ? "" : fmt::format(", read the column as text with --categorical={}", option_name_);
  throw BadCell{fmt::format("contains {} ({})", cell,
                            is_number ? "other cells of the column are not numbers" : "a number is expected"),
                advice + (known_ ? "" : drop_advice())};
}

std::string FeatureColumn::drop_advice() const {
  return fmt::format(", or drop the column with --drop={}", option_name_);
}

// With `drop`, rows with empty cells are not read.
bool FeatureColumn::accepts_empty() const {
  if (!known_) return missing_.kind != MissingCells::Kind::error;
  return known_->is_text() ? ignore_unknown_ || known_->has_empty_cells : known_->fill.has_value();
}

void FeatureColumn::refuse_empty(std::string_view text) const {
  const std::string problem =
      text.empty() ? "is empty" : fmt::format("contains {}, which means an empty cell", quoted(std::string(text)));
  if (known_)
    throw BadCell{problem + " (there is no known value for empty cells of this column)",
                  known_->is_text() ? ", leave out its row, or pass --unknown=ignore" : ", or leave out its row"};
  throw BadCell{problem, ", set --missing=median or --missing=drop" + drop_advice()};
}

float FeatureColumn::text_code(std::string_view text) {
  key_ = as_utf8(text);
  const auto found = codes_.find(key_);
  if (found != codes_.end()) return static_cast<float>(found->second);
  if (known_ && ignore_unknown_) return unknown_text;
  if (known_)
    throw BadCell{fmt::format("contains {} (not one of the column's {} categories)", quoted(key_), codes_.size()),
                  ", or pass --unknown=ignore"};
  if (codes_.size() == max_categories)
    throw BadCell{fmt::format("contains {} (the column has more than {} different texts; is it an identifier?)",
                              quoted(key_), max_categories),
                  drop_advice()};
  const auto code = static_cast<std::int32_t>(codes_.size());
  codes_.emplace(key_, code);
  return static_cast<float>(code);
}

// Only for the kinds that replace empty cells.
float FeatureColumn::fill_of(const float* values, std::int64_t rows, std::int64_t stride) const {
  if (missing_.kind == MissingCells::Kind::value) return missing_.value;
  std::vector<float> present;
  for (std::int64_t row = 0; row < rows; ++row)
    if (!std::isnan(values[row * stride])) present.push_back(values[row * stride]);
  if (missing_.kind == MissingCells::Kind::median) return static_cast<float>(median(present));
  double sum = 0;
  for (const float value : present) sum += double{value};
  return static_cast<float>(sum / static_cast<double>(present.size()));
}

DataColumn FeatureColumn::describe(const float* values, std::int64_t rows, std::int64_t stride,
                                   const std::function<std::string()>& place) {
  DataColumn column = known_.value_or(number_column(name_));
  if (!known_) {
    require(kind_ == Kind::number || !codes_.empty(), [&] {
      return fmt::format("All cells of {} are empty. Drop the column with --drop={}.", place(), option_name_);
    });
    if (kind_ == Kind::text) {
      for (const auto& [name, code] : codes_) column.categories.push_back(name);
      sort_names(column.categories);
      column.has_empty_cells = has_empty_cells_;
    } else if (missing_.kind != MissingCells::Kind::error && missing_.kind != MissingCells::Kind::drop) {
      column.fill = double{fill_of(values, rows, stride)};
    }
  }
  stored_codes_.assign(codes_.size(), no_category);
  for (std::size_t category = 0; category < column.categories.size(); ++category) {
    const auto found = codes_.find(column.categories[category]);
    if (found != codes_.end()) stored_codes_[static_cast<std::size_t>(found->second)] = static_cast<float>(category);
  }
  return column;
}

float FeatureColumn::stored_code(float code) const {
  return std::isnan(code) || code == unknown_text ? no_category : stored_codes_[static_cast<std::size_t>(code)];
}

NumberArray encode_columns(std::vector<std::byte> cells, std::int64_t rows, std::vector<FeatureColumn>& columns,
                           const std::function<std::string(std::size_t)>& place_of,
                           std::vector<DataColumn>& described) {
  const auto stride = static_cast<std::int64_t>(columns.size());
  auto* values = reinterpret_cast<float*>(cells.data());
  described.clear();
  for (std::int64_t column = 0; column < stride; ++column) {
    const auto index = static_cast<std::size_t>(column);
    described.push_back(columns[index].describe(values + column, rows, stride, [&] { return place_of(index); }));
  }
  if (!are_plain(described)) {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns.size(); ++column, ++values) {
        if (described[column].is_text())
          *values = columns[column].stored_code(*values);
        else if (std::isnan(*values))
          *values = static_cast<float>(described[column].fill.value_or(0));
      }
  }
  return {NumberType::float32, {rows, stride}, std::move(cells)};
}

}  // namespace sheaf
