// Dates in CSV cells. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "data/date_source.hpp"

namespace sheaf {

/// A date of the Gregorian calendar, also before its introduction, and a time of day, as they are written.
struct Date {
  int year = 1, month = 1, day = 1;
  double second = 0;     ///< of the day
  int zone_minutes = 0;  ///< how far the time is ahead of UTC
};

/// Parses a date of the years 1 to 9999, with or without a time of day: 10:30, 10:30:05 or 10:30:05.25, after a space
/// or a T, and with or without a time zone: Z, +02:00, +0200 or +02. Days, months and hours may have one digit, but not
/// in DateFormat::iso. Returns nullopt for other texts, such as 2023-02-29.
std::optional<Date> parse_date(std::string_view text, DateFormat format);

double part_of(const Date& date, DatePart part);

/// The seconds since 1970, UTC, of a date in DateFormat::iso; without a time zone, of UTC. nullopt for other texts.
std::optional<double> seconds_of_date(std::string_view text);

/// The format that all texts have in common.
class CommonDateFormat {
 public:
  /// Returns whether the texts still have a format in common.
  bool add(std::string_view text);
  /// nullopt: there is none, or the texts do not show whether the day or the month comes first.
  std::optional<DateFormat> format() const;
  /// Whether the texts do not show whether the day or the month comes first.
  bool is_ambiguous() const;

 private:
  static constexpr unsigned all_formats = (1U << all_date_formats.size()) - 1;
  unsigned formats_ = all_formats;  // bits, in the order of all_date_formats
  bool is_empty_ = true;
};

}  // namespace sheaf
