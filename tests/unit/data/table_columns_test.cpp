// SPDX-License-Identifier: MIT
#include "data/table_columns.hpp"

#include "support/catch.hpp"

using namespace sheaf;

using Texts = std::vector<std::string>;
using Positions = std::vector<std::size_t>;

TEST_CASE("a column of dates becomes columns of numbers") {
  const auto columns = date_columns("sold", DateFormat::dotted);
  CHECK(column_names(columns) == Texts{"sold.year", "sold.month", "sold.day", "sold.weekday", "sold.days"});
  CHECK(columns[3].date == DateSource{"sold", DatePart::weekday, DateFormat::dotted});
  CHECK(static_cast<std::int64_t>(columns.size()) == 5);
  CHECK(column_names(date_columns("", DateFormat::iso)) == Texts(5));
}

TEST_CASE("parts of the same dates come from one column of the table") {
  std::vector<DataColumn> columns = {number_column("a")};
  for (const char* name : {"sold", "built"})
    for (auto& part : date_columns(name, DateFormat::iso)) columns.push_back(part);
  columns.push_back(text_column("city", {"Oslo"}));
  TableColumns table = table_columns(columns);
  CHECK(table.names == Texts{"a", "sold", "built", "city"});
  CHECK(table.of_column == Positions{0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3});
  CHECK(date_column_count(columns) == 2);
  CHECK(date_column_count({columns.front()}) == 0);
  std::swap(columns[2], columns[7]);  // in any order
  table = table_columns(columns);
  CHECK(table.names == Texts{"a", "sold", "built", "city"});
  CHECK(table.of_column == Positions{0, 1, 2, 1, 1, 1, 2, 1, 2, 2, 2, 3});
}

TEST_CASE("without names, neighboring parts in their order come from one column of the table") {
  std::vector<DataColumn> columns = {number_column("")};
  for (int column = 0; column < 2; ++column)
    for (auto& part : date_columns("", DateFormat::iso)) columns.push_back(part);
  columns.push_back(number_column(""));
  columns.push_back(columns[5]);
  const TableColumns table = table_columns(columns);
  CHECK(table.names == Texts(5));
  CHECK(table.of_column == Positions{0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 4});
  CHECK(date_column_count(columns) == 3);
}

TEST_CASE("formats and parts have names") {
  for (const DateFormat format : all_date_formats) CHECK(date_format_named(name_of(format)) == format);
  for (const DatePart part : all_date_parts) CHECK(date_part_named(name_of(part)) == part);
  CHECK_FALSE(date_part_named("hour"));
  CHECK_FALSE(date_format_named(""));
}
