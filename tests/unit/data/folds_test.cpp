// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "data/row_draws.hpp"
#include "sample_data.hpp"
#include "support/catch.hpp"
#include "support/row_sets.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// The smallest and largest number of occurrences of the values 0..keys-1.
std::pair<std::int64_t, std::int64_t> spread(const std::vector<std::int32_t>& values, std::int64_t keys) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(keys));
  for (const auto value : values) ++counts.at(static_cast<std::size_t>(value));
  return {*std::min_element(counts.begin(), counts.end()), *std::max_element(counts.begin(), counts.end())};
}

}  // namespace

TEST_CASE("fold sizes, and the rows of each class per fold, differ by at most one") {
  for (const std::int64_t rows : {10, 101, 1797}) {
    for (const std::int64_t folds : {2, 3, 10}) {
      const DataSet data = data_with_labels(uneven_labels(rows, 5));
      const auto fold_of = folds_of(data, folds, 1, 0);
      REQUIRE(fold_of.size() == static_cast<std::size_t>(rows));
      const auto [least, greatest] = spread(fold_of, folds);
      CHECK(greatest - least <= 1);
      for (std::int64_t label = 0; label < 5; ++label) {
        std::vector<std::int32_t> members;
        for (std::size_t row = 0; row < fold_of.size(); ++row)
          if (data.labels[row] == label) members.push_back(fold_of[row]);
        const auto [fewest, most] = spread(members, folds);
        CHECK(most - fewest <= 1);
      }
    }
  }
}

TEST_CASE("folds depend only on the seed and the repeat") {
  const DataSet classes = data_with_labels(uneven_labels(200, 4));
  const DataSet numbers = data_with_features(1, std::vector<float>(200));
  for (const DataSet* data : {&classes, &numbers}) {
    const auto first = folds_of(*data, 5, 1, 0);
    CHECK(first == folds_of(*data, 5, 1, 0));
    CHECK(first != folds_of(*data, 5, 1, 1));
    CHECK(first != folds_of(*data, 5, 2, 0));
  }
}

TEST_CASE("folds of a regression data set are shuffled and of even size") {
  const auto fold_of = folds_of(data_with_features(1, std::vector<float>(103)), 4, 3, 0);
  const auto [least, greatest] = spread(fold_of, 4);
  CHECK(least == 25);
  CHECK(greatest == 26);
  CHECK_FALSE(std::is_sorted(fold_of.begin(), fold_of.end()));
  int steps = 0;
  for (std::size_t row = 1; row < fold_of.size(); ++row) steps += fold_of[row] == (fold_of[row - 1] + 1) % 4;
  CHECK(steps < 60);  // 102 if assigned in row order; about 26 by chance, with standard deviation 4.4
}

TEST_CASE("a hold-out has the requested number of rows, proportional to the classes to within one row") {
  for (const std::int64_t rows : {15, 101, 1797}) {
    for (const double fraction : {0.1, 0.25, 0.5, 0.66, 0.9}) {
      const DataSet data = data_with_labels(uneven_labels(rows, 4));
      const auto held_out = held_out_of(data, fraction, 5, 0);
      CHECK(held_out.size() == static_cast<std::size_t>(std::llround(static_cast<double>(rows) * fraction)));
      CHECK(std::is_sorted(held_out.begin(), held_out.end()));
      CHECK(std::set<std::int64_t>(held_out.begin(), held_out.end()).size() == held_out.size());
      CHECK((held_out.front() >= 0 && held_out.back() < rows));
      for (std::int64_t label = 0; label < 4; ++label) {
        const auto members = std::count(data.labels, data.labels + rows, label);
        const auto chosen = std::count_if(held_out.begin(), held_out.end(),
                                          [&](std::int64_t row) { return data.labels[row] == label; });
        const double expected =
            static_cast<double>(members * static_cast<std::int64_t>(held_out.size())) / static_cast<double>(rows);
        CAPTURE(rows, fraction, label, members, chosen, expected);
        CHECK(std::abs(static_cast<double>(chosen) - expected) < 1);
      }
    }
  }
  const DataSet data = data_with_labels(uneven_labels(50, 3));
  CHECK(held_out_of(data, 0.001, 5, 0).size() == 1);
  CHECK(held_out_of(data, 0.3, 5, 0) != held_out_of(data, 0.3, 5, 1));
  CHECK(held_out_of(data, 0.3, 5, 0) != held_out_of(data, 0.3, 6, 0));
}

TEST_CASE("a bootstrap draws the same number of rows with replacement, each equally likely") {
  std::vector<std::int64_t> rows(10000);
  for (std::size_t index = 0; index < rows.size(); ++index) rows[index] = static_cast<std::int64_t>(3 * index + 1);
  const auto bootstrap = [&](std::uint64_t seed) { return bootstrap_rows({}, row_set(rows), seed).list(); };
  const auto drawn = bootstrap(11);
  CHECK(drawn.size() == rows.size());
  CHECK(std::is_sorted(drawn.begin(), drawn.end()));
  CHECK(std::all_of(drawn.begin(), drawn.end(), [](std::int64_t row) { return row % 3 == 1 && row < 30001; }));
  // The expected fraction of distinct rows is 1 - 1/e. The standard deviation of their number is
  // sqrt(n (e^-1 - 2 e^-2)) = 31 for n = 10,000. The bound is five standard deviations.
  const std::set<std::int64_t> distinct(drawn.begin(), drawn.end());
  CHECK(std::abs(static_cast<double>(distinct.size()) - 6321.2) < 5 * 31);
  const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / static_cast<double>(drawn.size());
  CHECK(std::abs(mean - 14999.5) < 5 * 30000 / std::sqrt(12.0 * 10000));
  CHECK(bootstrap(11) == drawn);
  CHECK(bootstrap(12) != drawn);
}

TEST_CASE("each epoch has its own permutation of the rows, or the identity without shuffling") {
  std::vector<std::int64_t> identity(100);
  std::iota(identity.begin(), identity.end(), 0);
  const RowSet rows = RowSet::all(100);
  CHECK(epoch_order(rows, false, 1, 0) == identity);
  auto order = epoch_order(rows, true, 1, 0);
  CHECK(order != identity);
  CHECK(order != epoch_order(rows, true, 1, 1));
  CHECK(order != epoch_order(rows, true, 2, 0));
  CHECK(order == epoch_order(rows, true, 1, 0));
  // A set of the same size with other rows gets the same permutation.
  std::vector<std::int64_t> thrice;
  for (const std::int64_t row : identity) thrice.push_back(3 * row);
  const auto order_of_thrice = epoch_order(row_set(thrice), true, 1, 0);
  for (std::size_t index = 0; index < order.size(); ++index) CHECK(order_of_thrice[index] == 3 * order[index]);
  std::vector<std::int64_t> buffer(101, -1);
  epoch_order(rows, true, 1, 0, buffer.data());
  CHECK(std::equal(order.begin(), order.end(), buffer.begin()));
  CHECK(buffer.back() == -1);
  std::sort(order.begin(), order.end());
  CHECK(order == identity);
}
