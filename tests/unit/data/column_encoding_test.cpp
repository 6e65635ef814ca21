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

TEST_CASE("codes of the file's own categories stay as they are") {
  const ColumnEncoding encoding = ColumnEncoding::of(sample());
  CHECK_FALSE(encoding.is_identity());  // codes are checked
  CHECK(encoding.stored_count() == 3);
  CHECK(encoding.feature_count() == 3);
  CHECK_FALSE(encoding.subtracts());
  const Encoded encoded = encode(encoding, {7, 1, 0, empty, -1, -1});
  CHECK(encoded.unknown == 0);
  CHECK(std::vector<float>(encoded.features.begin(), encoded.features.begin() + 3) == std::vector<float>{7, 1, 0});
  CHECK(std::isnan(encoded.features[3]));
  CHECK(std::vector<float>(encoded.features.begin() + 4, encoded.features.end()) ==
        std::vector<float>{no_category, no_category});
}

TEST_CASE("numbers that are not codes of their column are found") {
  const ColumnEncoding encoding = ColumnEncoding::of(sample());
  std::vector<float> features(6);
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
  CHECK(known.features == std::vector<float>{7, 1, 0});
  CHECK(known.unknown == 0);
  const Encoded unknown = encode(encoding, {1, 100, 1, 7, -1, 100, -1, 8});
  CHECK(unknown.features == std::vector<float>{7, no_category, no_category, 8, no_category, no_category});
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

TEST_CASE("features of columns of texts are codes, and those without a column are numbers") {
  const auto kinds = feature_kinds(sample(), 4);
  REQUIRE(kinds.size() == 4);
  CHECK(category_features(kinds) == std::vector<std::int64_t>{1, 2});
  CHECK((kinds[1].categories == 2 && kinds[1].has_empty_cells));
  CHECK((kinds[2].categories == 2 && !kinds[2].has_empty_cells));
  CHECK(category_features(feature_kinds({}, 3)).empty());
  std::vector<DataColumn> filled = {with_offset("a", 2)};
  filled[0].fill = 7.5;
  CHECK(feature_kinds(filled, 1)[0].fill == 5.5f);
}
