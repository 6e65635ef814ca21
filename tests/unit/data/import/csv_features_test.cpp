// SPDX-License-Identifier: MIT
#include "data/import/csv_features.hpp"

#include <cmath>
#include <limits>

#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

using Texts = std::vector<std::string>;
using Cells = std::vector<double>;
using Kind = MissingCells::Kind;
using ColumnKind = FeatureColumn::Kind;
using Refused = FeatureColumn::Refused;

const EmptyCells usual;
constexpr double empty = 1e300;  // replaces NaN, which is not equal to itself

struct Encoded {
  DataColumn column;
  Cells cells;
};

// Encodes a table of one column.
Encoded encode(FeatureColumn column, const Texts& cells) {
  CellBlocks blocks;
  for (const auto& cell : cells) blocks.add(column.read(cell));
  std::vector<FeatureColumn> columns = {std::move(column)};
  std::vector<DataColumn> described;
  const auto rows = static_cast<std::int64_t>(cells.size());
  const NumberArray features = encode_columns(
      std::move(blocks), rows, columns, [](std::size_t) { return "column 0 of 'f'"; }, described);
  CHECK(features.shape == std::vector<std::int64_t>{rows, 1});
  Encoded encoded{described.at(0), sheaf::test::numbers(features)};
  for (double& cell : encoded.cells)
    if (std::isnan(cell)) cell = empty;
  return encoded;
}

Encoded learn(const Texts& cells, MissingCells missing = {}, ColumnKind kind = ColumnKind::number) {
  return encode(FeatureColumn("c", "c", kind, missing, usual), cells);
}

Encoded learn_texts(const Texts& cells, MissingCells missing = {}) {
  return learn(cells, missing, ColumnKind::text);
}

Encoded like(const DataColumn& known, const Texts& cells, Refused refused = Refused::nothing) {
  return encode(FeatureColumn(known, "c", {}, usual, refused), cells);
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

TEST_CASE("a column of numbers is one number per row") {
  const auto encoded = learn({"1.5", "-2", "3e1"});
  CHECK(encoded.column == number_column("c"));
  CHECK(encoded.cells == Cells{1.5, -2, 30});
}

TEST_CASE("a column of texts has the codes of its categories, in sorted order") {
  const auto encoded = learn_texts({"b", "a", "C", "b"});
  CHECK(encoded.column == text_column("c", {"C", "a", "b"}));
  CHECK(encoded.cells == Cells{2, 1, 0, 2});
}

TEST_CASE("the first cell that is not empty decides about a column whose beginning is empty") {
  CHECK(learn({"", "NA", "1.5"}, {}, ColumnKind::undecided).cells == Cells{empty, empty, 1.5});
  CHECK(learn({"", "x", "1"}, {}, ColumnKind::undecided).cells == Cells{-1, 1, 0});
}

TEST_CASE("categories that are numbers are sorted as numbers, and are the same in another spelling") {
  CHECK(learn_texts({"10", "9", "-1", "9"}).column.categories == Texts{"-1", "9", "10"});
  CHECK(learn_texts({"10", "9", "x"}).column.categories == Texts{"10", "9", "x"});
  CHECK(learn_texts({"1.0", "1", "01", "2"}).column.categories == Texts{"01", "1.0", "2"});
  CHECK(like(text_column("c", {"0", "1"}), {"1.0", "0.0", "1"}).cells == Cells{1, 0, 1});
  CHECK(like(text_column("c", {"0.0", "1.0"}), {"1", "0"}).cells == Cells{1, 0});
}

TEST_CASE("empty cells stay empty, and the description defines how they are filled") {
  const Texts cells = {"1", "", "2", "9", "-"};
  const auto median = learn(cells);
  CHECK(median.cells == Cells{1, empty, 2, 9, empty});
  CHECK(median.column.has_empty_cells);
  CHECK(median.column.fill_rule == FillRule::median);
  CHECK_FALSE(median.column.fill);
  CHECK(learn(cells, {Kind::mean, 0}).column.fill_rule == FillRule::mean);
  CHECK(learn(cells, {Kind::value, -0.5}).column.fill == -0.5);
  CHECK(learn({"1", "3"}, {Kind::value, 7}).column.fill == 7.0);
  CHECK_FALSE(learn({"1", "3"}).column.has_empty_cells);
}

TEST_CASE("empty cells of texts have no category") {
  const auto encoded = learn_texts({"b", "", "None", "a", "-"});
  CHECK(encoded.column == text_column("c", {"-", "a", "b"}, true));
  CHECK(encoded.cells == Cells{2, -1, -1, 1, 0});
}

TEST_CASE("empty cells can be refused, and a column needs other cells") {
  CHECK(problem_of([] {
          learn({"1", ""}, {Kind::error, 0});
        }) == "is empty, set --missing=median or --missing=drop, or drop the column with --drop=c");
  CHECK(problem_of([] {
          learn_texts({"a", "NA"}, {Kind::error, 0});
        }) ==
        "contains 'NA', which means an empty cell, set --missing=median or --missing=drop, or drop the column with "
        "--drop=c");
  for (const ColumnKind kind : {ColumnKind::undecided, ColumnKind::text})
    CHECK_THROWS_WITH(learn({"", "?"}, {}, kind),
                      "All cells of column 0 of 'f' are empty. Drop the column with --drop=c.");
}

TEST_CASE("texts among numbers are refused") {
  CHECK(problem_of([] {
          learn({"1", "x"});
        }) ==
        "contains 'x' (a number is expected), take it for an empty cell with --na_values='x', read the column as text "
        "with --categorical=c, or drop the column with --drop=c");
  CHECK(learn_texts({"x", "1"}).column.categories == Texts{"1", "x"});
  CHECK(problem_of([] {
          learn({"1", "1e39"});
        }) == "contains '1e39' (values must be finite in 32-bit floating point), or drop the column with --drop=c");
  CHECK(problem_of([] { learn({"-inf"}); }) ==
        "contains '-inf' (values must be finite in 32-bit floating point), or drop the column with --drop=c");
}

TEST_CASE("numbers are read in the form of their column") {
  FeatureColumn column("c", "c", ColumnKind::number, {}, usual);
  column.set_form({'.', ',', false, "$"});
  CHECK(column.read("$1,037") == 1037);
  column.set_form({',', 0, false, ""});
  CHECK(column.read("1,5") == 1.5);
  CHECK_THROWS_AS(column.read("1.5.5"), BadCell);
}

TEST_CASE("numbers that are large compared to their differences have an offset") {
  const auto encoded = learn({"1700000003.65176", "1699999997.25", "1700000006.5", "1700000001"});
  CHECK(encoded.column.offset > 1.6e9);
  CHECK(encoded.cells[0] + encoded.column.offset == Approx(1700000003.65176).epsilon(0).margin(1e-6));
  CHECK(like(encoded.column, {"1700000004.5"}).cells[0] == Approx(1700000004.5 - encoded.column.offset));
  CHECK(learn({"1", "1000", "2000"}).column.offset == 0);
}

TEST_CASE("numbers can mean empty cells") {
  EmptyCells more;
  more.add({"-999"});
  FeatureColumn column("c", "c", ColumnKind::number, {}, more);
  CHECK(std::isnan(column.read("-999")));
  CHECK(column.read("-998") == -998);
}

TEST_CASE("too many categories are refused") {
  Texts cells;
  for (std::size_t number = 0; number < max_categories; ++number) cells.push_back("n" + std::to_string(number));
  cells.push_back("n0");
  CHECK(learn_texts(cells).column.categories.size() == max_categories);
  cells.push_back("x");
  CHECK(problem_of([&] { learn_texts(cells); }) ==
        "contains 'x' (the column has more than 1000 different texts; is it an identifier?), or drop the column with "
        "--drop=c");
}

TEST_CASE("a known column of texts keeps its categories, and unknown texts are counted") {
  const DataColumn known = text_column("c", {"b", "a", "x"});
  CHECK(like(known, {"a", "b"}).column == known);
  CHECK(like(known, {"a", "b"}).cells == Cells{1, 0});
  CHECK(like(known, {"q", "x", "1", ""}).cells == Cells{-1, 2, -1, -1});
  FeatureColumn column(known, "c", {}, usual, Refused::nothing);
  for (const char* text : {"q", "x", "r", ""}) column.read(text);
  CHECK(column.unknown_cells() == 2);
  CHECK(column.unknown_text() == "q");
  CHECK(column.empty_cells() == 1);
  CHECK(problem_of([&] { like(known, {"q"}, Refused::unknown_texts); }) ==
        "contains 'q' (not one of the column's 3 categories), or leave out --unknown=error");
}

TEST_CASE("texts that usually mean an empty cell may be categories") {
  CHECK(like(text_column("c", {"None", "a"}, true), {"None", "a", "NA"}).cells == Cells{0, 1, -1});
  EmptyCells none;
  none.use_default(false);
  const auto encoded = encode(FeatureColumn("c", "c", ColumnKind::text, {}, none), {"None", "a", ""});
  CHECK(encoded.column == text_column("c", {"None", "a"}, true));
}

TEST_CASE("a known column of numbers keeps the value of its empty cells") {
  DataColumn filled = number_column("c");
  filled.fill = 2.5;
  const DataColumn plain = number_column("c");
  CHECK(like(filled, {"1", "", "NA"}).cells == Cells{1, 2.5, 2.5});
  CHECK(like(plain, {"1", ""}).column == plain);
  for (const Refused refused : {Refused::nothing, Refused::unknown_texts})
    CHECK(like(plain, {"1", ""}, refused).cells == Cells{1, empty});
  CHECK(problem_of([&] {
          like(plain, {"1", "NA"}, Refused::unknown_texts_and_empty_cells);
        }) ==
        "contains 'NA', which means an empty cell (there is no known value for empty cells of this column), or leave "
        "out its row");
  CHECK(problem_of([&] { like(plain, {"x"}); }) == "contains 'x' (a number is expected)");
}

TEST_CASE("categories in Latin-1 and in UTF-8 are the same") {
  CHECK(learn_texts({"K\xe4se", "K\xc3\xa4se"}).column.categories == Texts{"K\xc3\xa4se"});
  CHECK(like(text_column("c", {"K\xc3\xa4se"}), {"K\xe4se"}).cells == Cells{0});
}
