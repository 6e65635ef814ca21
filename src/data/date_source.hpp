// How the dates of a table become columns of numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf {

/// How dates are written. A time of day may follow.
enum class DateFormat {
  iso,         ///< 2024-05-31
  year_first,  ///< 2024/05/31
  dotted,      ///< 31.05.2024
  day_first,   ///< 31/05/2024
  month_first  ///< 05/31/2024
};

inline constexpr std::array all_date_formats = {DateFormat::iso, DateFormat::year_first, DateFormat::dotted,
                                                DateFormat::day_first, DateFormat::month_first};

/// The number that a column has of each date. The parts are those of the date as it is written.
enum class DatePart {
  year,
  month,    ///< 1 to 12
  day,      ///< 1 to 31
  weekday,  ///< 0 to 6, from Monday
  days      ///< since 1970-01-01, with the time of day as a fraction; of UTC if the date has a time zone
};

inline constexpr std::array all_date_parts = {DatePart::year, DatePart::month, DatePart::day, DatePart::weekday,
                                              DatePart::days};

/// "y-m-d", "y/m/d", "d.m.y", "d/m/y" or "m/d/y"
std::string_view name_of(DateFormat format);
std::optional<DateFormat> date_format_named(std::string_view name);

/// A date in this format: "2024-05-31".
std::string_view example_of(DateFormat format);

std::string_view name_of(DatePart part);
std::optional<DatePart> date_part_named(std::string_view name);

/// Where the numbers of a column come from that are a part of dates.
struct DateSource {
  std::string column{};  ///< the column of the table; empty if the table has no header
  DatePart part = DatePart::year;
  DateFormat format = DateFormat::iso;
};

bool operator==(const DateSource& a, const DateSource& b);

}  // namespace sheaf
