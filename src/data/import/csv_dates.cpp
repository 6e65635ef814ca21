// SPDX-License-Identifier: MIT
#include "data/import/csv_dates.hpp"

#include <cstddef>
#include <cstdint>

namespace sheaf {
namespace {

constexpr int seconds_per_day = 86400;

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

  // Reads a number of `least` to `most` digits.
  std::optional<int> number(std::size_t least, std::size_t most) {
    int value = 0;
    std::size_t digits = 0;
    for (; digits < most && starts_with_digit(); ++digits) value = 10 * value + take_digit();
    return digits >= least ? std::optional(value) : std::nullopt;
  }

  // Reads the digits after a decimal point, one or more.
  std::optional<double> fraction() {
    if (!starts_with_digit()) return std::nullopt;
    double value = 0, unit = 1;
    while (starts_with_digit()) value += (unit /= 10) * take_digit();
    return value;
  }

 private:
  bool starts_with_digit() const { return !left_.empty() && left_.front() >= '0' && left_.front() <= '9'; }
  int take_digit() {
    const int digit = left_.front() - '0';
    left_.remove_prefix(1);
    return digit;
  }

  std::string_view left_;
};

// How the day is written.
struct DaySyntax {
  char separator;
  std::size_t least_digits;  // of days, months and hours
  int year, month, day;      // their places
};

constexpr DaySyntax syntax_of(DateFormat format) {
  switch (format) {
    case DateFormat::iso:
      return {'-', 2, 0, 1, 2};
    case DateFormat::year_first:
      return {'/', 1, 0, 1, 2};
    case DateFormat::dotted:
      return {'.', 1, 2, 1, 0};
    case DateFormat::day_first:
      return {'/', 1, 2, 1, 0};
    case DateFormat::month_first:
      break;
  }
  return {'/', 1, 2, 0, 1};
}

int days_of_month(int year, int month) {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[month - 1] + (month == 2 && is_leap_year ? 1 : 0);
}

bool read_day(DateText& text, const DaySyntax& syntax, Date& date) {
  int numbers[3] = {};
  for (int place = 0; place < 3; ++place) {
    if (place > 0 && text.skip({&syntax.separator, 1}) == 0) return false;
    const bool is_year = place == syntax.year;
    const auto number = is_year ? text.number(4, 4) : text.number(syntax.least_digits, 2);
    if (!number) return false;
    numbers[place] = *number;
  }
  date.year = numbers[syntax.year];
  date.month = numbers[syntax.month];
  date.day = numbers[syntax.day];
  return date.year >= 1 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_of_month(date.year, date.month);
}

// The second 60 is a leap second.
bool read_time(DateText& text, const DaySyntax& syntax, Date& date) {
  const auto hour = text.number(syntax.least_digits, 2);
  if (!hour || *hour > 23 || text.skip(":") == 0) return false;
  const auto minute = text.number(2, 2);
  if (!minute || *minute > 59) return false;
  date.second = 3600 * *hour + 60 * *minute;
  if (text.skip(":") == 0) return true;
  const auto second = text.number(2, 2);
  if (!second || *second > 60) return false;
  date.second += *second;
  if (text.skip(".,") == 0) return true;
  const auto fraction = text.fraction();
  date.second += fraction.value_or(0);
  return fraction.has_value();
}

bool read_zone(DateText& text, Date& date) {
  const char sign = text.skip("+-Z");
  if (sign == 0 || sign == 'Z') return true;
  const auto hours = text.number(2, 2);
  if (!hours || *hours > 23) return false;
  const bool has_minutes = text.skip(":") != 0 || !text.at_end();
  const auto minutes = has_minutes ? text.number(2, 2) : std::optional(0);
  if (!minutes || *minutes > 59) return false;
  date.zone_minutes = (sign == '+' ? 1 : -1) * (60 * *hours + *minutes);
  return true;
}

// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil; here for years from 1 on.
int days_since_1970(const Date& date) {
  constexpr int days_to_1970 = 719468;                          // from the beginning of March of the year 0
  const int year = date.month > 2 ? date.year : date.year - 1;  // from March to February
  const int day_of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
  return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - days_to_1970;
}

double utc_second(const Date& date) {
  return date.second - 60 * date.zone_minutes;
}

}  // namespace

std::optional<Date> parse_date(std::string_view text, DateFormat format) {
  const DaySyntax syntax = syntax_of(format);
  DateText left(text);
  Date date;
  if (!read_day(left, syntax, date)) return std::nullopt;
  if (left.at_end()) return date;
  const bool is_valid = left.skip("T ") != 0 && read_time(left, syntax, date) && read_zone(left, date) && left.at_end();
  return is_valid ? std::optional(date) : std::nullopt;
}

double part_of(const Date& date, DatePart part) {
  switch (part) {
    case DatePart::year:
      return date.year;
    case DatePart::month:
      return date.month;
    case DatePart::day:
      return date.day;
    case DatePart::weekday: {
      constexpr int thursday = 3, days_per_week = 7, weeks = 1 << 20;  // 1970-01-01 was a Thursday
      return (days_since_1970(date) + thursday + days_per_week * weeks) % days_per_week;
    }
    case DatePart::days:
      break;
  }
  return days_since_1970(date) + utc_second(date) / seconds_per_day;
}

std::optional<double> seconds_of_date(std::string_view text) {
  const auto date = parse_date(text, DateFormat::iso);
  if (!date) return std::nullopt;
  return static_cast<double>(std::int64_t{seconds_per_day} * days_since_1970(*date)) + utc_second(*date);
}

bool CommonDateFormat::add(std::string_view text) {
  is_empty_ = false;
  for (std::size_t bit = 0; bit < all_date_formats.size(); ++bit)
    if ((formats_ & 1U << bit) != 0 && !parse_date(text, all_date_formats[bit])) formats_ &= ~(1U << bit);
  return formats_ != 0;
}

std::optional<DateFormat> CommonDateFormat::format() const {
  if (is_empty_) return std::nullopt;
  for (std::size_t bit = 0; bit < all_date_formats.size(); ++bit)
    if (formats_ == 1U << bit) return all_date_formats[bit];
  return std::nullopt;
}

bool CommonDateFormat::is_ambiguous() const {
  return !is_empty_ && formats_ != 0 && !format();
}

}  // namespace sheaf
