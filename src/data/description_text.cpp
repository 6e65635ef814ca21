// SPDX-License-Identifier: MIT
#include "data/description_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

constexpr int column_format = 2;

Json json_of(const std::vector<DataColumn>& columns, const Texts& dropped, const CellReading& reading) {
  Json list = Json::array();
  for (const DataColumn& column : columns) {
    Json entry = {{"name", column.name}};
    if (column.is_text()) entry["categories"] = column.categories;
    if (column.has_empty_cells) entry["empty"] = true;
    if (column.offset != 0) entry["offset"] = column.offset;
    if (column.fill_rule == FillRule::mean) entry["fill_rule"] = "mean";
    if (column.fill) entry["fill"] = *column.fill;
    if (const auto& date = column.date)
      entry["date"] = {{"column", date->column}, {"part", name_of(date->part)}, {"format", name_of(date->format)}};
    list.push_back(std::move(entry));
  }
  Json json = {{"format", column_format}, {"columns", std::move(list)}};
  if (!dropped.empty()) json["dropped"] = dropped;
  if (reading.decimal) json["decimal"] = std::string(1, *reading.decimal);
  if (!reading.na_values.empty()) json["na_values"] = reading.na_values;
  if (!reading.keep_default_na) json["keep_default_na"] = false;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  require(!json.is_discarded(), "it is not valid JSON");
  return json;
}

// HDF5 would cut a text at a zero byte.
std::string stored_text(const Json& json) {
  return as_utf8(json.get<std::string>());
}

Texts texts_of(const Json& json, const std::string& what) {
  require(json.is_array(), [&] { return what + " is not a list"; });
  Texts texts;
  for (const Json& element : json) {
    require(element.is_string(), [&] { return what + " contains an entry that is not a text"; });
    texts.push_back(stored_text(element));
  }
  return texts;
}

void require_distinct(Texts texts, const std::string& what) {
  std::sort(texts.begin(), texts.end());
  const auto twice = std::adjacent_find(texts.begin(), texts.end());
  require(twice == texts.end(), [&] { return what + " contains " + sheaf::quoted(*twice) + " twice"; });
}

// Whether `value` minus `offset` can be stored as a float.
bool is_storable(double value, double offset) {
  return std::isfinite(value) && std::abs(value - offset) <= double{std::numeric_limits<float>::max()};
}

double number_of(const Json& json, const std::string& what) {
  const double number = json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
  require(std::isfinite(number), [&] { return what + " is not valid"; });
  return number;
}

// The members that both forms have.
DataColumn common_column_of(const Json& json, std::string& what) {
  require(json.is_object() && json.contains("name") && json["name"].is_string(), "a column has no name");
  DataColumn column = number_column(stored_text(json["name"]));
  what = "column " + sheaf::quoted(column.name);
  if (json.contains("categories")) {
    column.categories = texts_of(json["categories"], "the categories of " + what);
    require(!column.categories.empty(), [&] { return what + " has an empty list of categories"; });
    require_distinct(column.categories, "the list of categories of " + what);
  }
  return column;
}

void read_fill(const Json& json, const std::string& what, DataColumn& column) {
  if (!json.contains("fill")) return;
  const std::string fill_of = "the fill value of " + what;
  column.fill = number_of(json["fill"], fill_of);
  require(!column.is_text() && is_storable(*column.fill, column.offset), [&] { return fill_of + " is not valid"; });
}

// The text of a member of "date".
std::string date_member(const Json& date, const char* member, const std::string& what) {
  require(date.contains(member) && date[member].is_string(),
          [&] { return fmt::format("the date of {} has no {}", what, member); });
  return stored_text(date[member]);
}

void read_date(const Json& json, const std::string& what, DataColumn& column) {
  if (!json.contains("date")) return;
  const Json& date = json["date"];
  require(date.is_object() && date.size() <= 3 && !column.is_text(),
          [&] { return "the date of " + what + " is not valid"; });
  const std::string source = date_member(date, "column", what);
  const std::string part = date_member(date, "part", what), format = date_member(date, "format", what);
  const auto known_part = date_part_named(part);
  const auto known_format = date_format_named(format);
  require(known_part.has_value(),
          [&] { return fmt::format("the date of {} has no part {}", what, sheaf::quoted(part)); });
  require(known_format.has_value(),
          [&] { return fmt::format("the date of {} has no format {}", what, sheaf::quoted(format)); });
  require(source.empty() == column.name.empty(),
          [&] { return fmt::format("{} and its column of dates do not both have names", what); });
  column.date = DateSource{source, *known_part, *known_format};
}

// Appends the features of a column in the list of version 0.7.
void append_listed(const Json& json, std::vector<DataColumn>& columns) {
  std::string what;
  DataColumn column = common_column_of(json, what);
  read_fill(json, what, column);
  if (column.fill) column.fill = double{static_cast<float>(*column.fill)};
  if (!column.is_text()) columns.push_back(column);
  for (const auto& category : column.categories)
    columns.push_back(number_column(column.name.empty() ? "" : column.name + "=" + category));
}

DataColumn column_of(const Json& json) {
  std::string what;
  DataColumn column = common_column_of(json, what);
  require(std::find(column.categories.begin(), column.categories.end(), "") == column.categories.end(),
          [&] { return "the list of categories of " + what + " contains an empty text"; });
  if (json.contains("empty")) {
    require(json["empty"].is_boolean(), [&] { return "\"empty\" of " + what + " is not true or false"; });
    column.has_empty_cells = json["empty"].get<bool>();
  }
  if (json.contains("offset")) {
    const std::string offset_of = "the offset of " + what;
    column.offset = number_of(json["offset"], offset_of);
    require(!column.is_text(), [&] { return offset_of + " is not valid"; });
  }
  if (json.contains("fill_rule")) {
    require(json["fill_rule"] == "mean" || json["fill_rule"] == "median",
            [&] { return "\"fill_rule\" of " + what + " is not \"mean\" or \"median\""; });
    if (json["fill_rule"] == "mean") column.fill_rule = FillRule::mean;
  }
  read_fill(json, what, column);
  read_date(json, what, column);
  return column;
}

// Checks that every part of dates occurs once, and that their column has only one meaning.
void require_clear_dates(const std::vector<DataColumn>& columns) {
  std::unordered_map<std::string, const DataColumn*> firsts;  // by the source
  std::set<std::pair<std::string, DatePart>> parts;
  for (const DataColumn& column : columns) {
    if (!column.date || column.name.empty()) continue;
    const DateSource& date = *column.date;
    const DataColumn* first = firsts.try_emplace(date.column, &column).first->second;
    require(first->date->format == date.format,
            [&] { return fmt::format("the dates of {} have two formats", sheaf::quoted(date.column)); });
    require(parts.emplace(date.column, date.part).second, [&] {
      return fmt::format("the list of columns contains the {} of {} twice", name_of(date.part),
                         sheaf::quoted(date.column));
    });
  }
  for (const DataColumn& column : columns)
    require(column.date || firsts.count(column.name) == 0,
            [&] { return fmt::format("column {} is a column of dates, too", sheaf::quoted(column.name)); });
}

CellReading reading_of(const Json& json) {
  CellReading reading;
  if (json.contains("decimal")) {
    require(json["decimal"] == "." || json["decimal"] == ",", "\"decimal\" is not \".\" or \",\"");
    reading.decimal = json["decimal"].get<std::string>().front();
  }
  if (json.contains("na_values")) reading.na_values = texts_of(json["na_values"], "na_values");
  if (json.contains("keep_default_na")) {
    require(json["keep_default_na"].is_boolean(), "\"keep_default_na\" is not true or false");
    reading.keep_default_na = json["keep_default_na"].get<bool>();
  }
  return reading;
}

DescribedColumns columns_of(const Json& json) {
  DescribedColumns described;
  const bool is_list = json.is_array();
  if (!is_list) {
    require(json.is_object(), "columns is not a list");
    require(json.contains("format") && json["format"] == column_format,
            [&] { return fmt::format("its format is not {}", column_format); });
    described.form = FeatureForm::columns;
    if (json.contains("dropped")) described.dropped = texts_of(json["dropped"], "the list of dropped columns");
    described.reading = reading_of(json);
  }
  require(is_list || json.contains("columns"), "columns is not a list");
  const Json& list = is_list ? json : json["columns"];
  require(list.is_array() && !list.empty(), "columns is not a list");
  Texts names;
  for (const Json& entry : list) {
    if (is_list)
      append_listed(entry, described.columns);
    else
      described.columns.push_back(column_of(entry));
  }
  for (const DataColumn& column : described.columns)
    if (!column.name.empty()) names.push_back(column.name);
  require_distinct(std::move(names), "the list of columns");
  require_clear_dates(described.columns);
  return described;
}

}  // namespace

std::string columns_text(const std::vector<DataColumn>& columns, const std::vector<std::string>& dropped,
                         const CellReading& reading) {
  return text_of(json_of(columns, dropped, reading));
}

DescribedColumns parse_columns(const std::string& text) {
  return columns_of(parsed(text));
}

std::string description_text(const DataDescription& description) {
  Json json = Json::object();
  if (!description.columns.empty())
    json["columns"] = json_of(description.columns, description.dropped_columns, description.reading);
  if (!description.class_names.empty()) json["class_names"] = description.class_names;
  if (!description.target_names.empty()) json["target_names"] = description.target_names;
  if (!description.target_offsets.empty()) json["target_offsets"] = description.target_offsets;
  if (!description.preprocessing.empty()) json["preprocessing"] = description.preprocessing;
  if (!description.source.empty()) json["source"] = description.source;
  if (!description.content_hash.empty()) json["content_hash"] = description.content_hash;
  return text_of(json);
}

DataDescription parse_description(const std::string& text) {
  const Json json = parsed(text);
  require(json.is_object(), "the description of the data is not an object");
  DataDescription description;
  for (const auto& item : json.items()) {
    const std::string& key = item.key();
    const Json& value = item.value();
    if (key == "columns") {
      DescribedColumns described = columns_of(value);
      description.columns = std::move(described.columns);
      description.dropped_columns = std::move(described.dropped);
      description.reading = std::move(described.reading);
    } else if (key == "class_names") {
      description.class_names = texts_of(value, key);
      require_distinct(description.class_names, key);
    } else if (key == "target_names") {
      description.target_names = texts_of(value, key);
    } else if (key == "target_offsets") {
      require(value.is_array(), "target_offsets is not a list");
      for (const Json& offset : value) description.target_offsets.push_back(number_of(offset, "an offset of targets"));
    } else if (key == "source" || key == "content_hash" || key == "preprocessing") {
      require(value.is_string(), [&] { return key + " is not a text"; });
      (key == "source"          ? description.source
       : key == "preprocessing" ? description.preprocessing
                                : description.content_hash) = stored_text(value);
    } else {
      throw RunError("it has an unknown entry " + sheaf::quoted(key));
    }
  }
  return description;
}

}  // namespace sheaf
