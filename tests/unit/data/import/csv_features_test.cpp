// SPDX-License-Identifier: MIT
#include "data/import/csv_features.hpp"

#include <cmath>

#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

using Texts = std::vector<std::string>;
using Kind = MissingCells::Kind;
using Rows = std::vector<std::vector<double>>;

struct Encoded {
  DataColumn column;
  Rows rows;
};

// Encodes a table of one column.
Encoded encode(FeatureColumn column, const Texts& cells) {
  CellNumbers numbers('.', ',');
  std::string bytes;
  for (const auto& cell : cells) bytes += bytes_of(column.read(cell, numbers));
  std::vector<std::byte> read(bytes.size());
  std::memcpy(read.data(), bytes.data(), bytes.size());
  std::vector<FeatureColumn> columns = {std::move(column)};
  std::vector<DataColumn> described;
  const auto rows = static_cast<std::int64_t>(cells.size());
  const NumberArray features = encode_columns(
      std::move(read), rows, columns, [](std::size_t) { return "column 0 of 'f'"; }, described);
  const auto values = sheaf::test::numbers(features);
  Encoded encoded{described.at(0), {}};
  const auto width = static_cast<std::ptrdiff_t>(features.row_elements());
  for (auto row = values.begin(); row != values.end(); row += width) encoded.rows.emplace_back(row, row + width);
  return encoded;
}

Encoded learn(const Texts& cells, MissingCells missing = {}, bool declared_text = false) {
  return encode(FeatureColumn("c", "c", declared_text, missing), cells);
}

Encoded like(const DataColumn& known, const Texts& cells, bool ignore_unknown = false, MissingCells missing = {}) {
  return encode(FeatureColumn(known, "c", missing, ignore_unknown), cells);
}

template <class Action>
std::string problem_of(const Action& action) {
  try {
    action();
  } catch (const BadCell& bad) {
    return bad.reason + bad.advice;
  }
  return "";
}

}  // namespace

TEST_CASE("a column of numbers is one feature") {
  const auto encoded = learn({"1.5", "-2", "3e1"});
  CHECK(encoded.column == number_column("c"));
  CHECK(encoded.rows == Rows{{1.5}, {-2}, {30}});
}

TEST_CASE("texts become the numbers of their categories, in sorted order") {
  const auto encoded = learn({"b", "a", "C", "b"});
  CHECK(encoded.column == text_column("c", {"C", "a", "b"}));
  CHECK(encoded.rows == Rows{{2}, {1}, {0}, {2}});
}

TEST_CASE("declared categories that are numbers are sorted as numbers") {
  CHECK(learn({"10", "9", "-1", "9"}, {}, true).column.categories == Texts{"-1", "9", "10"});
  CHECK(learn({"10", "9", "x"}, {}, true).column.categories == Texts{"10", "9", "x"});
  CHECK(learn({"1.0", "1", "inf"}, {}, true).column.categories == Texts{"1", "1.0", "inf"});
}

TEST_CASE("empty cells of numbers are replaced by the mean, the median or a value") {
  const Texts odd = {"1", "", "2", "9", "NA"}, even = {"7", "1", "?", "2", "4"};
  CHECK(learn(odd, {Kind::mean, 0}).rows == Rows{{1}, {4}, {2}, {9}, {4}});
  CHECK(learn(odd, {Kind::median, 0}).rows == Rows{{1}, {2}, {2}, {9}, {2}});
  CHECK(learn(even, {Kind::mean, 0}).rows == Rows{{7}, {1}, {3.5}, {2}, {4}});
  CHECK(learn(even, {Kind::median, 0}).rows == Rows{{7}, {1}, {3}, {2}, {4}});
  CHECK(learn(odd, {Kind::value, -0.5f}).rows == Rows{{1}, {-0.5}, {2}, {9}, {-0.5}});
  CHECK(learn({"5", ""}, {Kind::median, 0}).rows == Rows{{5}, {5}});
  CHECK(learn({"3e38", "3e38", ""}, {Kind::mean, 0}).rows[2][0] == double{3e38f});
  CHECK(learn({"3e38", "3e38", ""}, {Kind::median, 0}).rows[2][0] == double{3e38f});
}

TEST_CASE("the value of empty cells is learned even if there are none") {
  CHECK(learn({"1", "3"}, {Kind::mean, 0}).column.fill == 2.0);
  CHECK(learn({"1", "3"}, {Kind::value, 7}).column.fill == 7.0);
  CHECK_FALSE(learn({"1", "3"}, {Kind::drop, 0}).column.fill);
}

TEST_CASE("empty cells of texts are a category of their own") {
  const auto encoded = learn({"b", "", "None", "a"}, {Kind::median, 0});
  CHECK(encoded.column == text_column("c", {"a", "b"}, true));
  CHECK(encoded.rows == Rows{{1}, {-1}, {-1}, {0}});
  CHECK(learn({"b", "a"}, {Kind::median, 0}).column == text_column("c", {"a", "b"}));
}

TEST_CASE("empty cells are refused unless they are replaced, and a column needs other cells") {
  CHECK(problem_of([] {
          learn({"1", ""});
        }) == "is empty, set --missing=median or --missing=drop, or drop the column with --drop=c");
  CHECK(problem_of([] {
          learn({"a", "NA"});
        }) ==
        "contains 'NA', which means an empty cell, set --missing=median or --missing=drop, or drop the column with "
        "--drop=c");
  for (const bool text : {false, true})
    CHECK_THROWS_WITH(learn({"", "?"}, {Kind::mean, 0}, text),
                      "All cells of column 0 of 'f' are empty. Drop the column with --drop=c.");
}

TEST_CASE("a mixture of numbers and texts is refused, unless it is declared") {
  CHECK(problem_of([] {
          learn({"1", "x"});
        }) ==
        "contains 'x' (a number is expected), read the column as text with --categorical=c, or drop the column with "
        "--drop=c");
  CHECK(problem_of([] {
          learn({"x", "1"});
        }) ==
        "contains '1' (other cells of the column are not numbers), read the column as text with --categorical=c, or "
        "drop the column with --drop=c");
  CHECK(learn({"x", "1"}, {}, true).column.categories == Texts{"1", "x"});
  CHECK(problem_of([] {
          learn({"1", "1e39"});
        }) == "contains '1e39' (values must be finite in 32-bit floating point), or drop the column with --drop=c");
  CHECK(problem_of([] { learn({"-inf"}); }) ==
        "contains '-inf' (values must be finite in 32-bit floating point), or drop the column with --drop=c");
}

TEST_CASE("too many categories are refused") {
  Texts cells;
  for (std::size_t number = 0; number < max_categories; ++number) cells.push_back("n" + std::to_string(number));
  cells.push_back("n0");
  CHECK(learn(cells).column.categories.size() == max_categories);
  cells.push_back("x");
  CHECK(problem_of([&] { learn(cells); }) ==
        "contains 'x' (the column has more than 1000 different texts; is it an identifier?), or drop the column with "
        "--drop=c");
}

TEST_CASE("a known column of texts keeps its categories") {
  const DataColumn known = text_column("c", {"b", "a", "x"});
  CHECK(like(known, {"a", "b"}).column == known);
  CHECK(like(known, {"a", "b"}).rows == Rows{{1}, {0}});
  CHECK(problem_of([&] { like(known, {"q"}); }) ==
        "contains 'q' (not one of the column's 3 categories), or pass --unknown=ignore");
  CHECK(like(known, {"q", "x", "1", ""}, true).rows == Rows{{-1}, {2}, {-1}, {-1}});
}

TEST_CASE("empty cells of a known column of texts are its empty category, in every spelling") {
  const DataColumn known = text_column("c", {"a"}, true);
  CHECK(like(known, {"", "NA", "a", "None"}).rows == Rows{{-1}, {-1}, {0}, {-1}});
  const DataColumn none = text_column("c", {"None", "a"});
  CHECK(like(none, {"None", "a"}).rows == Rows{{0}, {1}});
  CHECK(
      problem_of([&] {
        like(none, {"a", ""});
      }) ==
      "is empty (there is no known value for empty cells of this column), leave out its row, or pass --unknown=ignore");
}

TEST_CASE("a known column of numbers keeps the value of its empty cells") {
  DataColumn filled = number_column("c");
  filled.fill = 2.5;
  const DataColumn plain = number_column("c");
  CHECK(like(filled, {"1", "", "NA"}).rows == Rows{{1}, {2.5}, {2.5}});
  CHECK(like(filled, {"", ""}).rows == Rows{{2.5}, {2.5}});
  CHECK(like(plain, {"1"}).column == plain);
  CHECK(problem_of([&] {
          like(plain, {"1", "NA"});
        }) ==
        "contains 'NA', which means an empty cell (there is no known value for empty cells of this column), or leave "
        "out its row");
  CHECK(problem_of([&] { like(plain, {"x"}); }) == "contains 'x' (a number is expected)");
  CHECK(problem_of([&] { like(plain, {"x"}, true); }) == "contains 'x' (a number is expected)");
}

TEST_CASE("categories in Latin-1 and in UTF-8 are the same") {
  CHECK(learn({"K\xe4se", "K\xc3\xa4se"}).column.categories == Texts{"K\xc3\xa4se"});
  CHECK(like(text_column("c", {"K\xc3\xa4se"}), {"K\xe4se"}).rows == Rows{{0}});
}
