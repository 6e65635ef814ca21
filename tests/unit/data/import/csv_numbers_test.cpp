// SPDX-License-Identifier: MIT
#include "data/import/csv_numbers.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// The numbers that one file's cells are read as, in order; NaN for a text.
std::vector<double> read(const std::vector<std::string>& cells, std::optional<char> decimal, char delimiter) {
  CellNumbers numbers(decimal, delimiter);
  std::vector<double> values;
  for (const auto& cell : cells) values.push_back(numbers.parse<double>(cell).value_or(std::nan("")));
  return values;
}

// Whether equal, where NaN equals NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i) equal = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
  return equal;
}

const double text = std::nan("");

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

TEST_CASE("empty cells are written in several ways") {
  for (const char* word : {"", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "None", "?"})
    CHECK(is_missing(word));
  for (const char* word : {" ", "none", "na", "-", "0", "NANA", "N"}) CHECK_FALSE(is_missing(word));
}

TEST_CASE("without semicolons, only a point is a decimal separator") {
  CHECK(same(read({"1,5", "1.5", "2"}, std::nullopt, ','), {text, 1.5, 2}));
  CHECK(same(read({"1,5", "1.5"}, std::nullopt, '\t'), {text, 1.5}));
  CHECK(same(read({"1,5", "1.5"}, '.', ';'), {text, 1.5}));
}

TEST_CASE("with semicolons, the first number with a separator decides") {
  CHECK(same(read({"3", "1,5", "2,25", "1.5", "7"}, std::nullopt, ';'), {3, 1.5, 2.25, text, 7}));
  CHECK(same(read({"3", "1.5", "1,5", "7"}, std::nullopt, ';'), {3, 1.5, text, 7}));
  CHECK(same(read({"a,b", "1,2,3", "1.000,5", "1,5e1"}, std::nullopt, ';'), {text, text, text, 15}));
  CHECK(same(read({"3.5.2020", "1,5"}, std::nullopt, ';'), {text, 1.5}));
}

TEST_CASE("a declared decimal comma holds with any delimiter, and points may separate thousands") {
  CHECK(same(read({"1,5", "1.000", "2", "-,5"}, ',', ','), {1.5, text, 2, -0.5}));
  CHECK(same(read({"1,234,567", ","}, ',', ';'), {text, text}));
}

TEST_CASE("only a decimal comma that was not declared is reported") {
  CellNumbers found(std::nullopt, ';'), declared(',', ';'), point(std::nullopt, ';');
  CHECK_FALSE(found.found_comma());
  found.parse<float>("1,5");
  declared.parse<float>("1,5");
  point.parse<float>("1.5");
  point.parse<float>("1,5");
  CHECK(found.found_comma());
  CHECK_FALSE(declared.found_comma());
  CHECK_FALSE(point.found_comma());
}
