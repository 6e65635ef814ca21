// SPDX-License-Identifier: MIT
#include "engines/xgboost/tree_rows.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

// A number, a text with a feature for empty cells, a text without one.
const std::vector<DataColumn> table = {number_column("age"), text_column("city", {"Oslo", "Rome"}, true),
                                       text_column("kind", {"a", "b", "c"})};

}  // namespace

TEST_CASE("columns of texts are one column each, and their features become the code of the category") {
  const auto columns = column_features(table, 7);
  CHECK(categorical_columns(columns) == std::vector<bool>{false, true, true});
  const std::vector<float> features = {
      41,      0, 0, 1, 1, 0, 0,  // Rome, a
      missing, 0, 1, 0, 0, 0, 1,  // empty, Oslo, c
      -2,      1, 0, 0, 0, 0, 0,  // the city is empty, the kind is unknown
  };
  DataSet data;
  data.feature_count = 7;
  data.features = features.data();
  const std::vector<std::int64_t> rows = {2, 0, 1, 0};
  const std::vector<float> found = tree_rows(columns, data, rows.data(), 4);
  const std::vector<float> expected = {-2, missing, missing, 41, 1, 0, missing, 0, 2, 41, 1, 0};
  REQUIRE(found.size() == expected.size());
  for (std::size_t value = 0; value < found.size(); ++value)
    CHECK((found[value] == expected[value] || (std::isnan(found[value]) && std::isnan(expected[value]))));
}

TEST_CASE("an empty cell has the value that the data state for it") {
  std::vector<DataColumn> columns = {number_column("a"), number_column("b")};
  columns[0].fill = 7.5;
  columns[0].offset = 2;
  const std::vector<float> features = {missing, missing, 1, 2};
  DataSet data;
  data.feature_count = 2;
  data.features = features.data();
  const std::vector<std::int64_t> rows = {0, 1};
  const std::vector<float> found = tree_rows(column_features(columns, 2), data, rows.data(), 2);
  CHECK((found[0] == 5.5f && std::isnan(found[1]) && found[2] == 1 && found[3] == 2));
}

TEST_CASE("without columns, each feature is a number, also in files of bytes") {
  const std::vector<std::uint8_t> features = {0, 1, 255, 7, 1, 1};
  DataSet data;
  data.feature_count = 3;
  data.byte_features = features.data();
  const auto columns = column_features({}, 3);
  CHECK(categorical_columns(columns) == std::vector<bool>{false, false, false});
  const std::vector<std::int64_t> rows = {1, 0};
  CHECK(tree_rows(columns, data, rows.data(), 2) == std::vector<float>{7, 1, 1, 0, 1, 255});
}

TEST_CASE("two classes have the logits 0 and that of the second class") {
  CHECK(logits_of_two({-1.5f, 2}) == std::vector<float>{0, -1.5f, 0, 2});
}
