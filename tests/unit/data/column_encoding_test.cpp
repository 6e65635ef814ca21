// SPDX-License-Identifier: MIT
#include "data/column_encoding.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr double empty = std::numeric_limits<double>::quiet_NaN();

struct Encoded {
  std::vector<float> features;
  std::int64_t unknown = 0;
};

Encoded encode(const ColumnEncoding& encoding, const std::vector<double>& stored) {
  const auto rows = static_cast<std::int64_t>(stored.size()) / encoding.stored_count();
  Encoded encoded;
  encoded.features.assign(static_cast<std::size_t>(rows * encoding.feature_count()), -99);
  REQUIRE_FALSE(encoding.encode(stored.data(), rows, encoded.features.data(), encoded.unknown));
  return encoded;
}

std::vector<DataColumn> sample() {
  return {number_column("age"), text_column("city", {"Oslo", "Rome"}, true), text_column("kind", {"a", "b"})};
}

DataColumn with_offset(const std::string& name, double offset) {
  DataColumn column = number_column(name);
  column.offset = offset;
  return column;
}

}  // namespace

TEST_CASE("rows of columns of numbers are features already") {
  CHECK(ColumnEncoding().is_identity());
  CHECK(ColumnEncoding::of(number_columns({"a", "b"})).is_identity());
  CHECK(ColumnEncoding::of({with_offset("a", 1e9)}).is_identity());
  CHECK(ColumnEncoding::subtracting({0, 0}).is_identity());
}

TEST_CASE("codes become one feature per category, and one before them for empty cells") {
  const ColumnEncoding encoding = ColumnEncoding::of(sample());
  CHECK(encoding.stored_count() == 3);
  CHECK(encoding.feature_count() == 6);
  CHECK_FALSE(encoding.subtracts());
  const Encoded encoded = encode(encoding, {7, 1, 0, empty, -1, -1});
  CHECK(encoded.unknown == 0);
  CHECK(std::vector<float>(encoded.features.begin(), encoded.features.begin() + 6) ==
        std::vector<float>{7, 0, 0, 1, 1, 0});
  CHECK(std::isnan(encoded.features[6]));
  CHECK(std::vector<float>(encoded.features.begin() + 7, encoded.features.end()) == std::vector<float>{1, 0, 0, 0, 0});
}

TEST_CASE("numbers that are not codes of their column are found") {
  const ColumnEncoding encoding = ColumnEncoding::of(sample());
  std::vector<float> features(12);
  std::int64_t unknown = 0;
  for (const double code : {2.0, 0.5, -2.0, -0.5, 1e300, empty, HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> rows = {1, 0, 0, 2, 0, code};
    const auto bad = encoding.encode(rows.data(), 2, features.data(), unknown);
    REQUIRE(bad);
    CHECK(bad->row == 1);
    CHECK(bad->column == 2);
  }
}

TEST_CASE("rows of a file become the features of a model, by the names of columns and categories") {
  const std::vector<DataColumn> file = {text_column("kind", {"b", "c", "a"}, true), number_column("id"),
                                        text_column("city", {"Rome", "Bern"}), number_column("age")};
  const ColumnEncoding encoding = ColumnEncoding::between(file, sample(), {3, 2, 0});
  CHECK(encoding.stored_count() == 4);
  const Encoded known = encode(encoding, {2, 100, 0, 7});
  CHECK(known.features == std::vector<float>{7, 0, 0, 1, 1, 0});
  CHECK(known.unknown == 0);
  const Encoded unknown = encode(encoding, {1, 100, 1, 7, -1, 100, -1, 8});
  CHECK(unknown.features == std::vector<float>{7, 1, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0});
  CHECK(unknown.unknown == 3);  // kind 'c', city 'Bern', and an empty kind, which the model does not know
  CHECK(ColumnEncoding::between(number_columns({"a", "b"}), number_columns({"b", "a"}), {1, 0}).stored_count() == 2);
}

TEST_CASE("the note on unknown cells is true for columns with and without empty cells") {
  CHECK(
      unknown_cells_note(1) ==
      "1 cell is not among the categories of the training data; such cells are read as empty cells where the training "
      "data had some, otherwise as none of the categories");
  CHECK(unknown_cells_note(2).find("2 cells are not") == 0);
}

TEST_CASE("offsets are subtracted in double") {
  const ColumnEncoding raw = ColumnEncoding::subtracting({1.7e9, 0});
  CHECK(raw.subtracts());
  CHECK(encode(raw, {1.7e9 + 0.25, 5, empty, 6}).features[0] == 0.25f);
  const ColumnEncoding other = ColumnEncoding::between({with_offset("a", 1.7e9)}, {with_offset("a", 1.7e9 - 8)}, {0});
  CHECK(encode(other, {0.25}).features[0] == 8.25f);
  CHECK(ColumnEncoding::between({with_offset("a", 5)}, {with_offset("a", 5)}, {0}).is_identity());
}

TEST_CASE("the features of texts are columns of numbers with their names") {
  auto columns = sample();
  columns[0].offset = 3;
  const auto features = feature_columns(columns);
  CHECK(column_names(features) == feature_names(columns));
  CHECK(features[0] == columns[0]);
  CHECK(feature_columns({text_column("", {"a", "b"})}) == number_columns({"", ""}));
}

TEST_CASE("the features of columns of texts are categories") {
  CHECK(category_features(sample()) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  CHECK(category_features({text_column("kind", {"a", "b"}), number_column("age"), text_column("c", {"x"})}) ==
        std::vector<std::int64_t>{0, 1, 3});
  CHECK(category_features({}).empty());
}
