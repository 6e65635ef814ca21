// SPDX-License-Identifier: MIT
#include "data/import/csv_row_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/class_labels.hpp"
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

// Reads the parts of a date from the beginning of a text.
class DateText {
 public:
  explicit DateText(std::string_view text) : left_(text) {}

  bool at_end() const { return left_.empty(); }

  // Skips one of these characters. Returns it, or 0.
  char skip(std::string_view any) {
    if (left_.empty() || any.find(left_.front()) == any.npos) return 0;
    const char found = left_.front();
    left_.remove_prefix(1);
    return found;
  }

  // Reads a number of exactly `digits` digits that is at most `most`.
  std::optional<int> number(std::size_t digits, int most) {
    if (left_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char digit : left_.substr(0, digits)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      value = 10 * value + (digit - '0');
    }
    left_.remove_prefix(digits);
    return value <= most ? std::optional(value) : std::nullopt;
  }

  // Reads the digits after a decimal point.
  double fraction() {
    double value = 0, unit = 1;
    for (; !left_.empty() && left_.front() >= '0' && left_.front() <= '9'; left_.remove_prefix(1))
      value += (unit /= 10) * (left_.front() - '0');
    return value;
  }

 private:
  std::string_view left_;
};

// Reads hours and minutes, with or without a colon. Returns minutes.
std::optional<int> read_zone(DateText& text) {
  const auto hours = text.number(2, 23);
  if (!hours) return std::nullopt;
  text.skip(":");
  const auto minutes = text.at_end() ? std::optional(0) : text.number(2, 59);
  return minutes ? std::optional(60 * *hours + *minutes) : std::nullopt;
}

}  // namespace

std::optional<double> seconds_of_date(std::string_view date) {
  DateText text(date);
  std::tm time{};
  const auto year = text.number(4, 9999);
  if (!year || !text.skip("-")) return std::nullopt;
  const auto month = text.number(2, 12);
  if (!month || *month == 0 || !text.skip("-")) return std::nullopt;
  const auto day = text.number(2, 31);
  if (!day || *day == 0) return std::nullopt;
  time.tm_year = *year - 1900;
  time.tm_mon = *month - 1;
  time.tm_mday = *day;
  double fraction = 0;
  int zone_minutes = 0;
  if (!text.at_end()) {
    if (!text.skip("T ")) return std::nullopt;
    const auto hour = text.number(2, 23);
    if (!hour || !text.skip(":")) return std::nullopt;
    const auto minute = text.number(2, 59);
    if (!minute) return std::nullopt;
    time.tm_hour = *hour;
    time.tm_min = *minute;
    if (text.skip(":")) {
      const auto second = text.number(2, 60);
      if (!second) return std::nullopt;
      time.tm_sec = *second;
      if (text.skip(".,")) fraction = text.fraction();
    }
    if (const char sign = text.skip("+-Z"); sign == '+' || sign == '-') {
      const auto zone = read_zone(text);
      if (!zone) return std::nullopt;
      zone_minutes = sign == '+' ? *zone : -*zone;
    }
    if (!text.at_end()) return std::nullopt;
  }
  const std::time_t seconds = ::timegm(&time);
  if (time.tm_mday != *day) return std::nullopt;  // 30 February
  return static_cast<double>(seconds - 60 * zone_minutes) + fraction;
}

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
