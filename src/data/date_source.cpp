// SPDX-License-Identifier: MIT
#include "data/date_source.hpp"

namespace sheaf {
namespace {

struct FormatTexts {
  std::string_view name, example;
};

constexpr FormatTexts texts_of(DateFormat format) {
  switch (format) {
    case DateFormat::iso:
      return {"y-m-d", "2024-05-31"};
    case DateFormat::year_first:
      return {"y/m/d", "2024/05/31"};
    case DateFormat::dotted:
      return {"d.m.y", "31.05.2024"};
    case DateFormat::day_first:
      return {"d/m/y", "31/05/2024"};
    case DateFormat::month_first:
      break;
  }
  return {"m/d/y", "05/31/2024"};
}

// The value with this name.
template <class Values>
std::optional<typename Values::value_type> named(const Values& values, std::string_view name) {
  for (const auto value : values)
    if (name_of(value) == name) return value;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(DateFormat format) {
  return texts_of(format).name;
}

std::string_view example_of(DateFormat format) {
  return texts_of(format).example;
}

std::string_view name_of(DatePart part) {
  switch (part) {
    case DatePart::year:
      return "year";
    case DatePart::month:
      return "month";
    case DatePart::day:
      return "day";
    case DatePart::weekday:
      return "weekday";
    case DatePart::days:
      break;
  }
  return "days";
}

std::optional<DateFormat> date_format_named(std::string_view name) {
  return named(all_date_formats, name);
}

std::optional<DatePart> date_part_named(std::string_view name) {
  return named(all_date_parts, name);
}

bool operator==(const DateSource& a, const DateSource& b) {
  return a.column == b.column && a.part == b.part && a.format == b.format;
}

}  // namespace sheaf
