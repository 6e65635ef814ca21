// SPDX-License-Identifier: MIT
#include "data/import/csv_numbers.hpp"

#include <cmath>

#include "data/import/csv_kinds.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;

// The numbers of a column, in the form that all have in common; NaN for a text, nothing without a common form.
std::vector<double> read(const Texts& cells, std::optional<char> decimal = std::nullopt, char delimiter = ',') {
  CommonForm common;
  for (const auto& cell : cells) common.add(cell);
  const auto form = common.form(decimal.value_or(decide_decimal({&common}, delimiter, false).mark));
  std::vector<double> values;
  for (const auto& cell : cells)
    if (form) values.push_back(parse_cell(cell, *form).value_or(std::nan("")));
  return values;
}

}  // namespace

TEST_CASE("numbers are read with full precision, are infinite out of range, and other text is refused") {
  CHECK(parse_number<float>("0.1") == 0.1f);
  CHECK(parse_number<float>("+1e3") == 1000.0f);
  CHECK(parse_number<float>("16777217") == 16777216.0f);
  CHECK(parse_number<float>("1e-60") == 0.0f);
  CHECK(std::isinf(*parse_number<float>("-1e39")));
  CHECK(std::isinf(*parse_number<double>("1e999")));
  CHECK(std::isnan(*parse_number<float>("nan")));
  for (const char* bad : {"", "+", "+-1", "1,5", "0x10", "1 2", "one"}) CHECK_FALSE(parse_number<float>(bad));
}

TEST_CASE("empty cells are written in several ways, in columns of numbers in more") {
  const EmptyCells empty;
  for (const char* word :
       {"", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "#N/A", "<NA>", "#DIV/0!"})
    CHECK(empty.is_empty(word));
  for (const char* word : {" ", "-", ".", "unknown", "0", "NANA", "N"}) CHECK_FALSE(empty.is_empty(word));
  for (const char* word : {"", "NA", ".", "-", "--", "*", "unknown", "Missing"}) CHECK(empty.is_empty_number(word));
  for (const char* word : {" ", "0", "-1", "x", "<1"}) CHECK_FALSE(empty.is_empty_number(word));
}

TEST_CASE("texts can be added to those that mean an empty cell, or replace them") {
  EmptyCells empty;
  CHECK_FALSE(empty.has_numbers());
  empty.add({"-999", "lost"});
  CHECK(empty.has_numbers());
  CHECK(empty.is_empty("-999"));
  CHECK(empty.is_empty("NA"));
  CHECK(empty.is_empty_value(-999));
  CHECK_FALSE(empty.is_empty_value(0));
  empty.use_default(false);
  CHECK(empty.is_empty("lost"));
  CHECK(empty.is_empty(""));
  for (const char* word : {"NA", "None", "?"}) CHECK_FALSE(empty.is_empty(word));
  CHECK_FALSE(empty.is_empty_number("-"));
}

TEST_CASE("a decimal comma is found by the numbers of the column") {
  CHECK(read({"1.5", "2", "-0.25"}) == std::vector<double>{1.5, 2, -0.25});
  CHECK(read({"1,5", "2", "-0,25"}) == std::vector<double>{1.5, 2, -0.25});
  CHECK(read({"1,5", "1234"}) == std::vector<double>{1.5, 1234});
  CHECK(read({"1,5", "1.5"}).empty());
}

TEST_CASE("groups of three digits are one number if all numbers of the column fit") {
  CHECK(read({"1,037", "950", "1,234,567"}) == std::vector<double>{1037, 950, 1234567});
  CHECK(read({"1,037.5", "950"}) == std::vector<double>{1037.5, 950});
  CHECK(read({"1.037,5", "950"}) == std::vector<double>{1037.5, 950});
  CHECK(read({"1 037",
              "1\xc2\xa0"
              "950,5"}) == std::vector<double>{1037, 1950.5});
  CHECK(read({"1'037", "12"}) == std::vector<double>{1037, 12});
  CHECK(read({"1,037", "12345"}, std::nullopt, ',') == std::vector<double>{1.037, 12345});
  CHECK(std::isnan(read({"1,037,5", "1"})[0]));
}

TEST_CASE("one comma before three digits is a decimal comma in files with semicolons, or if the file has others") {
  const Texts cells = {"1,037", "2,500"};
  CHECK(read(cells, std::nullopt, ',') == std::vector<double>{1037, 2500});
  CHECK(read(cells, std::nullopt, ';') == std::vector<double>{1.037, 2.5});
  CHECK(read(cells, '.', ';') == std::vector<double>{1037, 2500});
  CHECK(read(cells, ',', '\t') == std::vector<double>{1.037, 2.5});
  CHECK(read({"1.037", "2.500"}, ',', ';') == std::vector<double>{1037, 2500});
}

TEST_CASE("a group of three digits after a zero is a fraction, and a decimal mark that was chosen is obeyed") {
  CHECK(read({"0,012", "-2,325"}) == std::vector<double>{0.012, -2.325});
  CHECK(read({"0.100", "1.101"}, ',').empty());
  CHECK(read({"012.345", "1.101"}, ',').empty());
  CHECK(std::isnan(read({"0 100", "1 100"})[0]));
  CHECK(read({"1.5", "2.101"}, ',').empty());
  CHECK(read({"1,5", "2,101"}, '.').empty());
}

TEST_CASE("negative numbers may be in parentheses") {
  CHECK(read({"1.50", "(2.50)", "($1,000)"}).empty());
  CHECK(read({"1.50", "(2.50)", "(1,000)"}) == std::vector<double>{1.5, -2.5, -1000});
}

TEST_CASE("percent and currency signs are read if all numbers of the column have the same") {
  CHECK(read({"2.5%", "10 %"}) == std::vector<double>{2.5, 10});
  CHECK(read({"$1,011", "-$950", "$ 3"}) == std::vector<double>{1011, -950, 3});
  CHECK(read({"1.011,5 \xe2\x82\xac", "3 \xe2\x82\xac"}) == std::vector<double>{1011.5, 3});
  CHECK(read({"EUR 5", "7 EUR"}) == std::vector<double>{5, 7});
  CHECK(read({"2.5%", "10"}).empty());
  CHECK(read({"$5",
              "\xc2\xa3"
              "7"})
            .empty());
  CommonForm common;
  for (const char* text : {"<1.0", "12 kg", "x", "%", "$", "1.2.3", ""}) CHECK_FALSE(common.add(text));
  CHECK(common.is_empty());
}

TEST_CASE("texts that resemble numbers are found") {
  for (const char* text : {"<1.0", "> 5", "12 kg", "5-7", "~3", "1.2.3"}) CHECK(resembles_number(text));
  for (const char* text : {"", "a1", "abc", "-", "kg", "12 Main Street, Springfield"})
    CHECK_FALSE(resembles_number(text));
}

TEST_CASE("dates and times in usual forms are found") {
  for (const char* text : {"2019-03-01", "2019/3/1", "01.03.2019", "3/1/19", "1-Mar-2019", "1 March 2019",
                           "2019-03-01 10:30:00", "2019-03-01T10:30:00.5Z", "3/1/2019 10:30 AM", "10:30", "10:30:15"})
    CHECK(is_date(text));
  for (const char* text : {"", "2019", "1.2.3", "555-1234", "1-2-3-4", "March", "a1", "192.168.0.1", "1:234", "12-34"})
    CHECK_FALSE(is_date(text));
}

TEST_CASE("a code is the same number in another spelling, but not with leading zeros") {
  CHECK(number_of_code("1") == 1.0);
  CHECK(number_of_code("1.0") == 1.0);
  for (const char* text : {"01", "007", "x", "nan", "9007199254740993"}) CHECK_FALSE(number_of_code(text));
  for (const char* text : {"007", "01", "-01"}) CHECK(has_leading_zeros(text));
  for (const char* text : {"0", "0.5", "10", "", "0x1"}) CHECK_FALSE(has_leading_zeros(text));
}
