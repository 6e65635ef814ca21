// SPDX-License-Identifier: MIT
#include "data/import/csv_dates.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::vector<std::string> split_at_tabs(const std::string& line) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    parts.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

CommonDateFormat common(const std::vector<std::string>& texts) {
  CommonDateFormat format;
  for (const auto& text : texts) format.add(text);
  return format;
}

double days(std::string_view text, DateFormat format = DateFormat::iso) {
  return part_of(parse_date(text, format).value(), DatePart::days);
}

}  // namespace

TEST_CASE("the parts of dates are those of pandas") {
  std::ifstream file(DATE_CASES);
  std::string line;
  std::getline(file, line);
  int dates = 0;
  while (std::getline(file, line)) {
    CAPTURE(line);
    const auto fields = split_at_tabs(line);
    const auto date = parse_date(fields[1], date_format_named(fields[0]).value());
    REQUIRE(date.has_value() == (fields[2] != "none"));
    if (!date) continue;
    ++dates;
    for (std::size_t part = 0; part < all_date_parts.size(); ++part)
      CHECK(std::abs(part_of(*date, all_date_parts[part]) - std::stod(fields[2 + part])) < 1e-8);
  }
  CHECK(dates > 500);
}

TEST_CASE("texts that are not dates of a format are refused") {
  for (const char* text : {"",
                           "2024",
                           "2024-05",
                           "20240501",
                           "2024-5-1",
                           "2024-05-1",
                           "24-05-01",
                           "2024-05-01x",
                           "2024-05-01 ",
                           " 2024-05-01",
                           "0000-05-01",
                           "2024-05-01T",
                           "2024-05-01T10",
                           "2024-05-01 1:30",
                           "2024-05-01T10:3",
                           "2024-05-01T24:00",
                           "2024-05-01T10:60",
                           "2024-05-01T10:30:61",
                           "2024-05-01T10:30:05.",
                           "2024-05-01T10:30:05+",
                           "2024-05-01T10:30:05+2",
                           "2024-05-01T10:30:05+02:",
                           "2024-05-01T10:30:05+02:60",
                           "2024-05-01T10:30:05Z1",
                           "2024-05-01 10:30 PM",
                           "2024-05/01",
                           "2024/05/01",
                           "-2024-05-01"})
    CHECK_FALSE(parse_date(text, DateFormat::iso));
  for (const char* text : {"2024-05-01", "2024/5", "24/5/1", "2024/13/1", "2024/5/001"})
    CHECK_FALSE(parse_date(text, DateFormat::year_first));
  for (const char* text : {"1.5.24", "1-5-2024", "1.May 2024", "32.1.2024", "1.5.2024.", "1.234.567"})
    CHECK_FALSE(parse_date(text, DateFormat::dotted));
  for (const char* text : {"1/5/24", "1/13/2024", "1/5/2024 10"}) CHECK_FALSE(parse_date(text, DateFormat::day_first));
  CHECK_FALSE(parse_date("13/1/2024", DateFormat::month_first));
}

TEST_CASE("dates may have one digit for the day and the hour, but not in ISO 8601") {
  CHECK(days("1/2/1970", DateFormat::month_first) == 1);
  CHECK(days("1/2/1970", DateFormat::day_first) == 31);
  CHECK(days("2.1.1970 6:00", DateFormat::dotted) == 1.25);
  CHECK(days("1970/1/2 18:00:00", DateFormat::year_first) == 1.75);
}

TEST_CASE("days are those of UTC, other parts are local") {
  CHECK(days("1970-01-01T23:00:00-01:00") == 1);
  CHECK(days("1970-01-01 01:00+02") == -1.0 / 24);
  const Date date = parse_date("2023-12-31T20:00:00-06:00", DateFormat::iso).value();
  CHECK(part_of(date, DatePart::year) == 2023);
  CHECK(part_of(date, DatePart::weekday) == 6);
  CHECK(part_of(date, DatePart::days) == days("2024-01-01T02:00:00Z"));
  CHECK(days("2016-12-31T23:59:60Z") == days("2017-01-01"));
}

TEST_CASE("dates of ISO 8601 are seconds since 1970") {
  CHECK(seconds_of_date("1970-01-01") == 0);
  CHECK(seconds_of_date("1969-12-31T23:59") == -60);
  CHECK(seconds_of_date("2000-02-29T12:00:00Z") == 951825600);
  CHECK(seconds_of_date("2000-02-29T12:00:00.25+02:00") == 951825600.25 - 7200);
  CHECK(seconds_of_date("2000-02-29 12:00:00-0130") == 951825600 + 5400);
  for (const char* text : {"", "2001-02-29", "2001-13-01", "2001-00-01", "2001-01-01T", "2001-01-01T10", "2001-1-1",
                           "2001-01-01T25:00", "2001-01-01T10:00:00+", "2001-01-01T10:00x", "01.02.2003"})
    CHECK_FALSE(seconds_of_date(text));
}

TEST_CASE("the common format of dates is the only one that all have") {
  CHECK_FALSE(common({}).format());
  CHECK_FALSE(common({}).is_ambiguous());
  CHECK(common({"2024-05-01", "2024-05-01T10:00"}).format() == DateFormat::iso);
  CHECK(common({"2024/5/1"}).format() == DateFormat::year_first);
  CHECK(common({"1.5.2024"}).format() == DateFormat::dotted);
  CHECK(common({"1/5/2024", "13/5/2024"}).format() == DateFormat::day_first);
  CHECK(common({"1/5/2024", "1/13/2024"}).format() == DateFormat::month_first);
  CHECK_FALSE(common({"1/5/2024", "12/12/2024"}).format());
  CHECK(common({"1/5/2024", "12/12/2024"}).is_ambiguous());
  const CommonDateFormat none = common({"1/13/2024", "13/1/2024"});
  CHECK_FALSE(none.format());
  CHECK_FALSE(none.is_ambiguous());
  CHECK_FALSE(common({"2024-05-01", "1.5.2024"}).format());
  CHECK_FALSE(common({"2023-02-29"}).format());
}
