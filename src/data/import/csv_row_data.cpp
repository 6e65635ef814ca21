// SPDX-License-Identifier: MIT
#include "data/import/csv_row_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/class_labels.hpp"
#include "data/import/csv_dates.hpp"
#include "data/import/csv_features.hpp"

namespace sheaf {
namespace {

template <class T>
NumberArray array_of(const std::vector<double>& numbers, NumberType type) {
  NumberArray array{type, {static_cast<std::int64_t>(numbers.size())}, {}};
  array.bytes.resize(numbers.size() * sizeof(T));
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const auto value = static_cast<T>(numbers[row]);
    std::memcpy(array.bytes.data() + row * sizeof value, &value, sizeof value);
  }
  return array;
}

}  // namespace

void RowData::add_time(std::string_view text, const EmptyCells& empty, const NumberForm& form) {
  if (empty.is_empty(text)) throw BadCell{"is empty (every row needs a time)", ", or leave out its row"};
  const auto number = parse_cell(text, form);
  const auto time = number ? number : seconds_of_date(text);
  const bool is_first = numbers_.empty();
  if (is_first) are_dates_ = !number;
  if (!time || !std::isfinite(*time) || are_dates_ != !number)
    throw BadCell{fmt::format("contains {} ({} are expected)", quoted(std::string(text)),
                              is_first     ? "numbers, or dates such as 2019-03-01 or 2019-03-01T10:30:00"
                              : are_dates_ ? "dates such as 2019-03-01 or 2019-03-01T10:30:00, as in the first row,"
                                           : "numbers, as in the first row,"),
                  ""};
  numbers_.push_back(*time);
}

void RowData::add(std::string_view text, const EmptyCells& empty, const NumberForm& form) {
  const std::string cell = quoted(std::string(text));
  if (role_ == Role::groups) {
    if (empty.is_empty(text)) throw BadCell{"is empty (every row needs a group)", ", or leave out its row"};
    group_of_row_.push_back(
        groups_.try_emplace(as_utf8(text), static_cast<std::int64_t>(groups_.size())).first->second);
    return;
  }
  if (role_ == Role::times) return add_time(text, empty, form);
  const auto value = parse_cell(text, form);
  const double limit = role_ == Role::folds ? double{std::numeric_limits<std::int32_t>::max()}
                                            : double{std::numeric_limits<float>::max()};
  const bool is_valid =
      value && *value >= 0 && *value <= limit && (role_ == Role::weights || std::floor(*value) == *value);
  if (!is_valid)
    throw BadCell{fmt::format("contains {} ({} are expected)", cell,
                              role_ == Role::folds ? "numbers of folds, from 0," : "weights that are not negative"),
                  ""};
  numbers_.push_back(*value);
}

NumberArray RowData::array() const {
  if (role_ == Role::groups) return group_codes();
  if (role_ == Role::times) return array_of<double>(numbers_, NumberType::float64);
  return role_ == Role::folds ? array_of<std::int32_t>(numbers_, NumberType::int32)
                              : array_of<float>(numbers_, NumberType::float32);
}

void RowData::require_no_gaps(const std::string& place) const {
  std::vector<double> folds = numbers_;
  std::sort(folds.begin(), folds.end());
  folds.erase(std::unique(folds.begin(), folds.end()), folds.end());
  for (std::size_t fold = 0; fold < folds.size(); ++fold)
    require(folds[fold] == static_cast<double>(fold), [&] {
      return fmt::format(
          "{} has no row of fold {}, but of fold {} (folds are numbered 0, 1, 2, ... without gaps). "
          "Number them so.",
          place, fold, folds.back());
    });
}

NumberArray RowData::group_codes() const {
  std::vector<std::string> names;
  for (const auto& [name, first] : groups_) names.push_back(name);
  sort_names(names);
  std::vector<std::int64_t> codes(names.size());
  for (std::size_t code = 0; code < names.size(); ++code)
    codes[static_cast<std::size_t>(groups_.at(names[code]))] = static_cast<std::int64_t>(code);
  std::vector<std::int64_t> rows;
  rows.reserve(group_of_row_.size());
  for (const std::int64_t group : group_of_row_) rows.push_back(codes[static_cast<std::size_t>(group)]);
  return label_array(rows);
}

}  // namespace sheaf
