// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/random/random_stream.hpp"
#include "data/row_sample.hpp"
#include "data/split_scaling.hpp"
#include "sample_data.hpp"
#include "support/catch.hpp"
#include "support/row_sets.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// Feature 0 has mean 0. Feature 1 has mean 1e6 and deviation 10. Feature 2 is a constant that binary cannot represent
// exactly. Feature 3 has deviation 1e30.
DataSet features_of_many_sizes() {
  RandomStream stream(1, Purpose::synthetic_features);
  std::vector<float> features;
  for (int row = 0; row < 1000; ++row) {
    features.push_back(static_cast<float>(stream.normal()));
    features.push_back(static_cast<float>(1e6 + 10 * stream.normal()));
    features.push_back(0.1f);
    features.push_back(static_cast<float>(1e30 * stream.normal()));
  }
  return data_with_features(4, features);
}

std::vector<std::int64_t> every_third_row() {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 1; row < 1000; row += 3) rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("standard scaling uses the mean and the population standard deviation of the given rows") {
  const DataSet data = features_of_many_sizes();
  const auto rows = every_third_row();
  const FeatureScaling scaling = feature_scaling(data, row_set(rows), Normalize::standard, {});
  for (const std::size_t feature : {0u, 1u, 3u}) {
    long double sum = 0, squares = 0;
    for (const auto row : rows) sum += data.features[row * 4 + static_cast<std::int64_t>(feature)];
    const long double mean = sum / static_cast<long double>(rows.size());
    for (const auto row : rows) {
      const long double deviation = data.features[row * 4 + static_cast<std::int64_t>(feature)] - mean;
      squares += deviation * deviation;
    }
    const auto deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(rows.size())));
    // Results are rounded to float: an error of half a unit in the last place, 6e-8.
    CHECK(scaling.shift.at(feature) == Approx(static_cast<double>(mean)).epsilon(1e-7));
    CHECK(scaling.scale.at(feature) == Approx(1 / deviation).epsilon(1e-7));
  }
}

TEST_CASE("minmax scaling maps the given rows to 0..1") {
  const DataSet data = features_of_many_sizes();
  const auto rows = every_third_row();
  const FeatureScaling scaling = feature_scaling(data, row_set(rows), Normalize::minmax, {});
  for (const std::size_t feature : {0u, 1u, 3u}) {
    std::vector<float> scaled;
    for (const auto row : rows)
      scaled.push_back((data.features[row * 4 + static_cast<std::int64_t>(feature)] - scaling.shift.at(feature)) *
                       scaling.scale.at(feature));
    CHECK(*std::min_element(scaled.begin(), scaled.end()) == 0);
    CHECK(*std::max_element(scaled.begin(), scaled.end()) == Approx(1).epsilon(2e-7));  // two roundings to float
  }
}

TEST_CASE("a constant feature becomes exactly zero, also for other values in other rows") {
  const DataSet data = features_of_many_sizes();
  for (const Normalize normalize : {Normalize::standard, Normalize::minmax}) {
    const FeatureScaling scaling = feature_scaling(data, row_set(every_third_row()), normalize, {});
    CHECK(scaling.shift.at(2) == 0.1f);
    CHECK(scaling.scale.at(2) == 0);
  }
}

TEST_CASE("without normalization there is no scaling") {
  const FeatureScaling scaling =
      feature_scaling(features_of_many_sizes(), row_set(every_third_row()), Normalize::none, {});
  CHECK(scaling.shift.empty());
  CHECK(scaling.scale.empty());
}

TEST_CASE("robust: median and interquartile range as NumPy computes them, two values become 0 and 1") {
  // numpy.percentile([1, 2, 4, 100, 5, 7], [25, 50, 75]) is 2.5, 4.5, 6.5.
  FeatureMoments moments(4);
  const std::vector<float> values = {1, 3, 0, 5, 2, 3, 0, 5, 4, 8, 0, 5, 100, 3, 0, 5, 5, 8, 7, 5, 7, 3, 0, 5};
  moments.add(values.data(), {0, 1, 2, 3, 4, 5});
  const FeatureScaling scaling = feature_scaling(moments, values, Normalize::robust);
  CHECK(scaling.shift == std::vector<float>{4.5f, 3, 0, 5});
  CHECK(scaling.scale == std::vector<float>{0.25f, 0.2f, 1 / 7.0f, 0});
  CHECK(scaling.clip == std::vector<float>{1 / 3.0f, 0, 0, 0});
}

TEST_CASE("robust: a feature whose quartiles are equal is divided by half its range") {
  FeatureMoments moments(1);
  const std::vector<float> values = {0, 0, 0, 0, 0, 0, 0, 2, 8};
  moments.add(values.data(), {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const FeatureScaling scaling = feature_scaling(moments, values, Normalize::robust);
  CHECK(scaling.shift == std::vector<float>{0});
  CHECK(scaling.scale == std::vector<float>{0.25f});
}

TEST_CASE("robust: whether a feature has two values is decided by all rows, not by the sampled ones") {
  std::vector<float> values;
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < 30000; ++row) {
    values.push_back(row % 2 == 0 ? 1e6f : 1e6f + 1);
    values.push_back(row == 77 ? 0.5f : static_cast<float>(row % 2));
    rows.push_back(row);
  }
  FeatureMoments moments(2);
  moments.add(values.data(), rows);
  const std::vector<float> sample = {1e6f, 0, 1e6f + 1, 1};
  CHECK(feature_scaling(moments, sample, Normalize::robust).clip == std::vector<float>{0, 1 / 3.0f});
  // Without sampled rows, the deviation takes the place of the quantiles.
  const FeatureScaling scaling = feature_scaling(moments, {}, Normalize::robust);
  CHECK(scaling.shift[1] == Approx(0.5).margin(1e-3));
  CHECK(scaling.scale[1] == Approx(1 / (1.349 * 0.5)).epsilon(1e-3));
}

TEST_CASE("robust: a feature with one huge value keeps the scale of its other values") {
  for (const float huge : {1e12f, 1e20f, 9.96921e36f}) {
    const std::vector<float> values = {1, 2, 3, 4, 5, huge, 2.5f, -huge, 3.5f};
    FeatureMoments moments(1);
    moments.add(values.data(), {0, 1, 2, 3, 4, 5, 6, 7, 8});
    const FeatureScaling scaling = feature_scaling(moments, values, Normalize::robust);
    CHECK(scaling.shift[0] == 3);
    CHECK(scaling.scale[0] == 0.5f);
    CHECK(scaling.clip[0] == 1 / 3.0f);
  }
}

TEST_CASE("the scale of extreme features is a normal number") {
  FeatureMoments moments(2);
  const std::vector<float> values = {-3e38f, 0, 3e38f, 1e-44f};
  moments.add(values.data(), {0, 1});
  for (const auto normalize : {Normalize::standard, Normalize::minmax, Normalize::robust})
    for (const float scale : feature_scaling(moments, values, normalize).scale) CHECK(std::isnormal(scale));
}

TEST_CASE("robust: the limit of outliers holds for all numbers, and non-finite numbers stay non-finite") {
  CHECK(clip_divisor(0) == 1);
  CHECK(clip_divisor(0.75f) == 1.25f);
  for (const float bent : {1e10f, 1e19f, 1e20f, 3e38f}) {
    CHECK(bent / clip_divisor(bent) == 1);
    CHECK(-bent / clip_divisor(-bent) == -1);
  }
  CHECK(std::isnan(clip_divisor(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isinf(clip_divisor(-std::numeric_limits<float>::infinity())));
}

TEST_CASE("robust: a tiny interquartile range does not let the training rows overflow") {
  const std::vector<float> values = {0, 1e-30f, 2e-30f, 3e-30f, 4e-30f, 5e-30f, 6e-30f, 1e20f};
  FeatureMoments moments(1);
  moments.add(values.data(), {0, 1, 2, 3, 4, 5, 6, 7});
  const FeatureScaling scaling = feature_scaling(moments, values, Normalize::robust);
  CHECK(std::isfinite((values.back() - scaling.shift[0]) * scaling.scale[0]));
}

TEST_CASE("any number of rows is drawn without repetition") {
  const auto rows = drawn_rows(10, 6, 1);
  CHECK(rows.size() == 6);
  CHECK(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end());
  CHECK(rows.back() < 10);
  CHECK(rows != drawn_rows(10, 6, 2));
  CHECK(drawn_rows(3, 5, 1) == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("many rows are sampled by random numbers, few rows completely") {
  CHECK(sampled_rows(3, 10, 1) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(sampled_rows(65536, 10, 1).size() == 65536);
  CHECK(sampled_rows(1000000, 1000, 1).size() == 16777);
  CHECK(sampled_rows(1000, 1 << 30, 1).size() == 1);
  constexpr std::int64_t rows = 240000;
  const auto sample = sampled_rows(rows, 10, 1);
  CHECK(sample.size() == 65536);
  CHECK(std::is_sorted(sample.begin(), sample.end()));
  CHECK(std::adjacent_find(sample.begin(), sample.end()) == sample.end());
  CHECK((sample.front() >= 0 && sample.back() < rows));
  CHECK(sample == sampled_rows(rows, 10, 1));
  CHECK(sample != sampled_rows(rows, 10, 2));
  // Every remainder and every tenth of the rows has its share, within six standard deviations.
  for (const std::int64_t period : {2, 3, 4, 10})
    for (std::int64_t which = 0; which < period; ++which) {
      CAPTURE(period, which);
      const auto of_period =
          std::count_if(sample.begin(), sample.end(), [&](std::int64_t row) { return row % period == which; });
      const auto of_part =
          std::count_if(sample.begin(), sample.end(), [&](std::int64_t row) { return row * period / rows == which; });
      const double share = 65536.0 / static_cast<double>(period);
      CHECK(std::abs(static_cast<double>(of_period) - share) < 6 * std::sqrt(share));
      CHECK(std::abs(static_cast<double>(of_part) - share) < 6 * std::sqrt(share));
    }
}

TEST_CASE("the sampled rows among some rows are found") {
  std::vector<std::size_t> places;
  for_each_sampled({1, 4, 5, 9}, row_set({0, 4, 5, 6, 10}), [&](std::size_t place) { places.push_back(place); });
  CHECK(places == std::vector<std::size_t>{1, 2});
}

TEST_CASE("rows with a period have the same scaling in every order") {
  // Four sensors take turns; one of them has a narrow range.
  constexpr std::int64_t rows = 200000;
  RandomStream stream(1, Purpose::synthetic_features);
  std::vector<float> values;
  for (std::int64_t row = 0; row < rows; ++row)
    values.push_back(static_cast<float>(stream.normal()) * (row % 4 == 0 ? 0.001f : 1.0f));
  const DataSet data = data_with_features(1, values);
  const auto sampled = sampled_rows(rows, 1, 1);
  const FeatureScaling scaling = feature_scaling(data, RowSet::all(rows), Normalize::robust, sampled);
  std::sort(values.begin(), values.end());
  CHECK(1 / scaling.scale[0] == Approx(values[rows * 3 / 4] - values[rows / 4]).epsilon(0.03));
}

namespace {

constexpr float empty = std::numeric_limits<float>::quiet_NaN();

// A table with empty cells, as it is loaded.
DataSet table(std::int64_t features, const std::vector<float>& values, const std::vector<DataColumn>& columns = {}) {
  DataSet data = data_with_features(features, values);
  data.kinds = feature_kinds(columns, features);
  auto fills = std::make_shared<FeatureFills>(feature_fills(columns, features));
  count_empty_cells(values.data(), data.rows, fills->empty_cells);
  data.fills = std::move(fills);
  return data;
}

}  // namespace

TEST_CASE("empty cells are filled with the median or the mean of the training rows, or a known value") {
  std::vector<DataColumn> columns = number_columns({"a", "b", "c", "d"});
  columns[1].fill_rule = FillRule::mean;
  columns[2].fill = 1e9 + 7;
  columns[2].offset = 1e9;
  const std::vector<float> values = {1,     1, empty, 0, 5, empty, 2, 0, 2, 3,     3, 0,
                                     empty, 8, 4,     0, 9, 9,     5, 0, 8, empty, 6, 0};
  const DataSet data = table(4, values, columns);
  CHECK(data.fills->empty_cells == std::vector<std::int64_t>{1, 2, 1, 0});
  const RowSet rows = row_set({0, 1, 2, 3});  // without the last two
  for (const auto normalize : {Normalize::none, Normalize::standard, Normalize::robust}) {
    CAPTURE(static_cast<int>(normalize));
    const FeatureScaling scaling = feature_scaling(data, rows, normalize, {0, 1, 2, 3, 4, 5});
    CHECK(scaling.fill[0] == 2);
    CHECK(scaling.fill[1] == 4);
    CHECK(scaling.fill[2] == 7);
    CHECK(scaling.fill[3] == 0);
    CHECK(scaling.shift.empty() == (normalize == Normalize::none));
  }
  CHECK(feature_scaling(data, rows, Normalize::robust, {0, 1, 2, 3, 4, 5}).shift[0] == 2);
  CHECK(feature_scaling(data, rows, Normalize::minmax, {0, 1, 2, 3, 4, 5}).shift == std::vector<float>{1, 1, 2, 0});
}

TEST_CASE("a feature that is empty in all training rows is 0, and in all sampled ones its mean") {
  const DataSet data = table(2, {empty, 1, empty, 3, 5, empty, 5, 8});
  const RowSet rows = row_set({0, 1, 2});
  const FeatureScaling robust = feature_scaling(data, row_set({0, 1}), Normalize::robust, {0, 1, 2, 3});
  CHECK(robust.shift[0] == 0);
  CHECK(robust.scale[0] == 0);
  CHECK(robust.fill == std::vector<float>{0, 2});
  const FeatureScaling sampled = feature_scaling(data, rows, Normalize::standard, {2});
  CHECK(sampled.fill == std::vector<float>{5, 2});
}

TEST_CASE("categories are not scaled and have no fill values, and data without empty cells only known ones") {
  std::vector<DataColumn> columns = {text_column("a", {"x", "y"}), number_column("b")};
  const DataSet data = table(2, {0, 4, 1, 5, -1, 9}, columns);
  const FeatureScaling robust = feature_scaling(data, RowSet::all(3), Normalize::robust, {0, 1, 2});
  CHECK((std::isnan(robust.fill[0]) && robust.fill[1] == 5));
  CHECK((robust.shift[0] == 0 && robust.scale[0] == 1 && robust.clip[0] == 0));
  CHECK((robust.shift[1] == 5 && robust.clip[1] > 0));
  const FeatureScaling standard = feature_scaling(data, RowSet::all(3), Normalize::standard, {});
  CHECK((standard.shift[0] == 0 && standard.scale[0] == 1 && standard.shift[1] == 6));
  CHECK(feature_scaling(data, RowSet::all(3), Normalize::standard, {}).fill.empty());
  CHECK(feature_scaling(data, RowSet::all(3), Normalize::none, {}).fill.empty());
  columns[1].fill = 3;
  const DataSet known = table(2, {0, 4, 1, 5, -1, 9}, columns);
  CHECK(feature_scaling(known, RowSet::all(3), Normalize::none, {}).fill[1] == 3);
}

TEST_CASE("the note on empty cells says how they are filled") {
  FeatureFills fills = feature_fills({}, 3);
  CHECK(empty_cells_text(fills).empty());
  fills.empty_cells = {1, 0, 0};
  CHECK(empty_cells_text(fills) == "1 empty cell in 1 column is filled with the median of the training rows");
  fills.empty_cells = {10, 0, 2};
  fills.rules[2] = FillRule::mean;
  CHECK(empty_cells_text(fills) ==
        "12 empty cells in 2 columns are filled with the median of the training rows or the mean of the training rows");
  fills.has_input[0] = true;
  CHECK(empty_cells_text(fills, EmptyCellsFor::encodings) ==
        "12 empty cells in 2 columns are filled with the median of the training rows or the mean of the training rows, "
        "and "
        "marked by another input of the network");
  CHECK(empty_cells_text(fills, EmptyCellsFor::trees) ==
        "12 empty cells in 2 columns are missing values for the trees");
  fills.has_input[0] = false;
  fills.known[0] = fills.known[2] = 1;
  CHECK(empty_cells_text(fills) == "12 empty cells in 2 columns are filled with the value that the data file states");
}

TEST_CASE("a feature with both extremes of float is scaled without overflow") {
  constexpr float most = 3.4e38f;
  for (const std::vector<float>& values : {std::vector<float>{-most, most}, std::vector<float>{-most, 1, 2, 3, most},
                                           std::vector<float>{-most, most, most, most}}) {
    FeatureMoments moments(1);
    std::vector<std::int64_t> rows;
    for (const float value : values) {
      static_cast<void>(value);
      rows.push_back(static_cast<std::int64_t>(rows.size()));
    }
    moments.add(values.data(), rows);
    for (const auto normalize : {Normalize::standard, Normalize::minmax, Normalize::robust}) {
      const FeatureScaling scaling = feature_scaling(moments, values, normalize);
      for (const float value : values) CHECK(std::isfinite((value - scaling.shift[0]) * scaling.scale[0]));
    }
  }
}
