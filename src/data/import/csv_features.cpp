// SPDX-License-Identifier: MIT
#include "data/import/csv_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"
#include "data/column_offset.hpp"
#include "data/import/csv_dates.hpp"

namespace sheaf {
namespace {

constexpr double empty_cell = std::numeric_limits<double>::quiet_NaN();
constexpr double unknown_code = -1;
constexpr std::int32_t no_code = -1;

}  // namespace

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

double sampled_offset(const CellBlocks& cells, std::int64_t rows, std::int64_t first, std::int64_t stride) {
  constexpr std::int64_t sample_rows = 10000;
  std::vector<double> sample;
  const auto add = [&](std::int64_t row) {
    const double value = cells[static_cast<std::size_t>(first + row * stride)];
    if (!std::isnan(value)) sample.push_back(value);
  };
  if (rows <= sample_rows) {
    for (std::int64_t row = 0; row < rows; ++row) add(row);
  } else {
    std::mt19937_64 random(0);  // rows may have a period
    for (std::int64_t drawn = 0; drawn < sample_rows; ++drawn)
      add(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(rows)));
  }
  return column_offset(sample);
}

FeatureColumn::FeatureColumn(std::string name, std::string option_name, Kind kind, MissingCells missing,
                             const EmptyCells& empty)
    : name_(std::move(name)), option_name_(std::move(option_name)), kind_(kind), missing_(missing), empty_(&empty) {}

FeatureColumn::FeatureColumn(DataColumn column, std::string option_name, MissingCells missing, const EmptyCells& empty)
    : FeatureColumn(std::move(column.name), std::move(option_name), Kind::date, missing, empty) {
  date_ = std::move(column.date);
  format_ = date_->format;
}

FeatureColumn::FeatureColumn(const DataColumn& known, std::string option_name, MissingCells missing,
                             const EmptyCells& empty, Refused refused)
    : name_(known.name),
      option_name_(std::move(option_name)),
      kind_(known.is_text() ? Kind::text
            : known.date    ? Kind::date
                            : Kind::number),
      missing_(missing),
      empty_(&empty),
      known_(known),
      refused_(refused),
      date_(known.date) {
  if (date_) format_ = date_->format;
  for (std::size_t index = 0; index < known.categories.size(); ++index) {
    const auto code = static_cast<std::int32_t>(index);
    codes_[known.categories[index]] = code;
    if (const auto number = number_of_code(known.categories[index])) codes_of_numbers_.try_emplace(*number, code);
  }
}

bool FeatureColumn::is_empty(std::string_view text) const {
  if (kind_ != Kind::text) {
    if (empty_->is_empty_number(text)) return true;
    const auto number = empty_->has_numbers() ? parse_cell(text, form_) : std::nullopt;
    return number && empty_->is_empty_value(*number);
  }
  return empty_->is_empty(text) && (!known_ || codes_.count(as_utf8(text)) == 0);
}

double FeatureColumn::read_other(std::string_view text) {
  if (kind_ == Kind::date) return read_date(text);
  if (is_empty(text)) return add_empty(text);
  if (kind_ == Kind::undecided) kind_ = parse_cell(text, form_) ? Kind::number : Kind::text;
  return kind_ == Kind::number ? read_number(text) : read_text(text);
}

double FeatureColumn::read_number(std::string_view text) {
  const auto number = parse_cell(text, form_);
  if (!number || !fits_float(*number)) refuse_number(text, number.has_value());
  return *number;
}

double FeatureColumn::read_date(std::string_view text) {
  const auto date = parse_date(text, format_);
  const bool may_be_empty = !date || empty_->has_numbers();
  if (may_be_empty && is_empty(text)) return add_empty(text);
  if (!date) refuse(fmt::format("a date such as {} is expected", example_of(format_)), quoted(std::string(text)));
  return part_of(*date, date_->part);
}

double FeatureColumn::add_empty(std::string_view text) {
  const bool is_accepted = !known_             ? missing_.kind != MissingCells::Kind::error
                           : known_->is_text() ? refused_ == Refused::nothing || known_->has_empty_cells
                                               : refused_ != Refused::unknown_texts_and_empty_cells;
  if (!is_accepted) refuse_empty(text);
  ++empty_count_;
  return empty_cell;
}

void FeatureColumn::refuse_number(std::string_view text, bool is_number) const {
  const std::string cell = quoted(std::string(text));
  if (is_number)
    throw BadCell{fmt::format("contains {} (values must be finite in 32-bit floating point)", cell), drop_advice()};
  refuse("a number is expected", cell);
}

void FeatureColumn::refuse(const std::string& problem, const std::string& cell) const {
  const std::string advice = known_
                                 ? ""
                                 : fmt::format(
                                       ", take it for an empty cell with --na_values={}, read the column as text with "
                                       "--categorical={}",
                                       cell, option_name_);
  throw BadCell{fmt::format("contains {} ({})", cell, problem), advice + (known_ ? "" : drop_advice())};
}

std::string FeatureColumn::drop_advice() const {
  return fmt::format(", or drop the column with --drop={}", option_name_);
}

void FeatureColumn::refuse_empty(std::string_view text) const {
  const std::string problem =
      text.empty() ? "is empty" : fmt::format("contains {}, which means an empty cell", quoted(std::string(text)));
  if (known_)
    throw BadCell{problem + " (there is no known value for empty cells of this column)", ", or leave out its row"};
  throw BadCell{problem, ", set --missing=median or --missing=drop" + drop_advice()};
}

std::int32_t FeatureColumn::find_code(const std::string& text) const {
  if (const auto found = codes_.find(text); found != codes_.end()) return found->second;
  const auto number = number_of_code(text);
  const auto equal = number ? codes_of_numbers_.find(*number) : codes_of_numbers_.end();
  return equal == codes_of_numbers_.end() ? no_code : equal->second;
}

double FeatureColumn::read_text(std::string_view text) {
  key_ = as_utf8(text);
  if (const std::int32_t code = find_code(key_); code != no_code) return code;
  if (known_ && refused_ != Refused::nothing)
    throw BadCell{fmt::format("contains {} (not one of the column's {} categories)", quoted(key_), codes_.size()),
                  ", or leave out --unknown=error"};
  if (known_) {
    if (++unknown_count_ == 1) unknown_text_ = key_;
    return unknown_code;
  }
  if (codes_.size() == max_categories)
    throw BadCell{fmt::format("contains {} (the column has more than {} different texts; is it an identifier?)",
                              quoted(key_), max_categories),
                  drop_advice()};
  const auto code = static_cast<std::int32_t>(codes_.size());
  codes_.emplace(key_, code);
  if (const auto number = number_of_code(key_)) codes_of_numbers_.try_emplace(*number, code);
  return code;
}

DataColumn FeatureColumn::describe(const std::function<std::string()>& place) {
  DataColumn column = known_.value_or(number_column(name_));
  if (!known_) {
    column.date = date_;
    require(kind_ != Kind::undecided && (kind_ != Kind::text || !codes_.empty()), [&] {
      return fmt::format("All cells of {} are empty. Drop the column with --drop={}.", place(), option_name_);
    });
    if (kind_ == Kind::text) {
      for (const auto& [name, code] : codes_) column.categories.push_back(name);
      sort_names(column.categories);
    } else {
      if (missing_.kind == MissingCells::Kind::mean) column.fill_rule = FillRule::mean;
      if (missing_.kind == MissingCells::Kind::value) column.fill = missing_.value;
    }
    column.has_empty_cells = empty_count_ > 0;
  }
  stored_codes_.assign(codes_.size(), no_category);
  for (std::size_t category = 0; category < column.categories.size(); ++category) {
    const auto found = codes_.find(column.categories[category]);
    if (found != codes_.end()) stored_codes_[static_cast<std::size_t>(found->second)] = static_cast<float>(category);
  }
  return column;
}

float FeatureColumn::stored_code(double code) const {
  return std::isnan(code) || code == unknown_code ? no_category : stored_codes_[static_cast<std::size_t>(code)];
}

NumberArray encode_columns(CellBlocks cells, std::int64_t rows, std::vector<FeatureColumn>& columns,
                           const std::function<std::string(std::size_t)>& place_of,
                           std::vector<DataColumn>& described) {
  const auto stride = static_cast<std::int64_t>(columns.size());
  described.clear();
  for (std::int64_t column = 0; column < stride; ++column) {
    const auto index = static_cast<std::size_t>(column);
    described.push_back(columns[index].describe([&] { return place_of(index); }));
    DataColumn& description = described.back();
    if (!columns[index].is_known() && !description.is_text())
      description.offset = sampled_offset(cells, rows, column, stride);
  }
  struct Encoder {
    const FeatureColumn* texts;  // null: numbers
    double offset;
    double empty;  // the stored number of an empty cell, plus the offset
  };
  std::vector<Encoder> encoders;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const DataColumn& description = described[column];
    encoders.push_back({description.is_text() ? &columns[column] : nullptr, description.offset,
                        columns[column].is_known() ? description.fill.value_or(empty_cell) : empty_cell});
  }
  NumberArray array{NumberType::float32, {rows, stride}, {}};
  array.bytes.resize(static_cast<std::size_t>(rows * stride) * sizeof(float));
  auto* stored = reinterpret_cast<float*>(array.bytes.data());
  auto encoder = encoders.begin();
  cells.consume([&](double value) {
    if (encoder->texts != nullptr)
      *stored++ = encoder->texts->stored_code(value);
    else
      *stored++ = static_cast<float>((std::isnan(value) ? encoder->empty : value) - encoder->offset);
    if (++encoder == encoders.end()) encoder = encoders.begin();
  });
  return array;
}

}  // namespace sheaf
