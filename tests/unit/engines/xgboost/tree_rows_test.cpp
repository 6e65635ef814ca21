// SPDX-License-Identifier: MIT
#include "engines/xgboost/tree_rows.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

// A number, a text with empty cells, a text without them.
const std::vector<DataColumn> table = {number_column("age"), text_column("city", {"Oslo", "Rome"}, true),
                                       text_column("kind", {"a", "b", "c"})};

}  // namespace

TEST_CASE("the code of a category stays, that of an empty cell or an unknown text is missing") {
  const auto kinds = feature_kinds(table, 3);
  CHECK(categorical_features(kinds) == std::vector<bool>{false, true, true});
  const std::vector<float> features = {
      41,      1,           0,            // Rome, a
      missing, 0,           2,            // empty, Oslo, c
      -2,      no_category, no_category,  // the city is empty, the kind is unknown
  };
  DataSet data;
  data.feature_count = 3;
  data.features = features.data();
  const std::vector<std::int64_t> rows = {2, 0, 1, 0};
  const std::vector<float> found = tree_rows(kinds, data, rows.data(), 4);
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
  const std::vector<float> found = tree_rows(feature_kinds(columns, 2), data, rows.data(), 2);
  CHECK((found[0] == 5.5f && std::isnan(found[1]) && found[2] == 1 && found[3] == 2));
}

TEST_CASE("without columns, each feature is a number, also in files of bytes") {
  const std::vector<std::uint8_t> features = {0, 1, 255, 7, 1, 1};
  DataSet data;
  data.feature_count = 3;
  data.byte_features = features.data();
  const auto kinds = feature_kinds({}, 3);
  CHECK(categorical_features(kinds) == std::vector<bool>{false, false, false});
  const std::vector<std::int64_t> rows = {1, 0};
  CHECK(tree_rows(kinds, data, rows.data(), 2) == std::vector<float>{7, 1, 1, 0, 1, 255});
}

TEST_CASE("two classes have the logits 0 and that of the second class") {
  CHECK(logits_of_two({-1.5f, 2}) == std::vector<float>{0, -1.5f, 0, 2});
}
