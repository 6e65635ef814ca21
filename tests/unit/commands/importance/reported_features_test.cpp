// SPDX-License-Identifier: MIT
#include "commands/importance/reported_features.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string text_of(const std::vector<ReportedFeature>& features) {
  std::string text;
  for (const ReportedFeature& feature : features)
    text += feature.name + " " + std::to_string(feature.features.begin) + ".." + std::to_string(feature.features.end) +
            "; ";
  return text;
}

}  // namespace

TEST_CASE("a column is one feature") {
  const std::vector<DataColumn> columns = {number_column("age"), text_column("city", {"Oslo", "Rome"}, true),
                                           text_column("sex", {"f", "m"}), number_column("")};
  CHECK(text_of(reported_features({4}, columns, "x.csv")) == "age 0..1; city 1..2; sex 2..3; feature 3 3..4; ");
}

TEST_CASE("channels of images are features, pixels are not") {
  CHECK(text_of(reported_features({3, 4, 5}, {}, "x.h5")) == "channel 0 0..20; channel 1 20..40; channel 2 40..60; ");
  CHECK_THROWS_WITH(reported_features({1, 28, 28}, {}, "x.h5"),
                    ContainsSubstring("rows of 'x.h5' have the shape 1x28x28"));
  CHECK_THROWS_AS(reported_features({10, 20}, {}, "x.h5"), RunError);
}

TEST_CASE("each feature and each repeat has a permutation of its own, which the seed decides") {
  std::vector<std::vector<std::int64_t>> found;
  for (const std::uint64_t seed : {0, 1})
    for (const std::int64_t feature : {0, 1})
      for (const std::int64_t repeat : {0, 1}) found.push_back(permutation(50, seed, feature, repeat));
  CHECK(found.front() == permutation(50, 0, 0, 0));
  for (std::size_t one = 0; one < found.size(); ++one)
    for (std::size_t other = 0; other < one; ++other) CHECK(found[one] != found[other]);
  std::vector<std::int64_t> sorted = found.back(), all(50);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  CHECK(sorted == all);
  CHECK(permutation(1, 0, 0, 0) == std::vector<std::int64_t>{0});
}
