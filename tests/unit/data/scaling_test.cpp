// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random/random_stream.hpp"
#include "data/splits.hpp"
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
  const FeatureScaling scaling = feature_scaling(data, row_set(rows), Normalize::standard);
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
  const FeatureScaling scaling = feature_scaling(data, row_set(rows), Normalize::minmax);
  for (const std::size_t feature : {0u, 1u, 3u}) {
    std::vector<float> scaled;
    for (const auto row : rows)
      scaled.push_back((data.features[row * 4 + static_cast<std::int64_t>(feature)] - scaling.shift.at(feature)) *
                       scaling.scale.at(feature));
    CHECK(*std::min_element(scaled.begin(), scaled.end()) == 0);
    CHECK(*std::max_element(scaled.begin(), scaled.end()) == Approx(1).epsilon(2e-7));  // two roundings to float
  }
}

TEST_CASE("a constant feature becomes exactly zero") {
  const DataSet data = features_of_many_sizes();
  for (const Normalize normalize : {Normalize::standard, Normalize::minmax}) {
    const FeatureScaling scaling = feature_scaling(data, row_set(every_third_row()), normalize);
    CHECK(scaling.shift.at(2) == 0.1f);
    CHECK(scaling.scale.at(2) == 1);
  }
}

TEST_CASE("without normalization there is no scaling") {
  const FeatureScaling scaling = feature_scaling(features_of_many_sizes(), row_set(every_third_row()), Normalize::none);
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
  CHECK(scaling.scale == std::vector<float>{0.25f, 0.2f, 1 / 7.0f, 1});
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

TEST_CASE("robust: many rows are sampled at even distances") {
  CHECK(sample_stride(1000, 10) == 1);
  CHECK(sample_stride(65536, 10) == 1);
  CHECK(sample_stride(65537, 10) == 2);
  CHECK(sample_stride(1000000, 100) == 16);
  CHECK(sample_stride(1000, 1 << 23) == 500);
}
