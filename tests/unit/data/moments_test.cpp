// SPDX-License-Identifier: MIT
#include "data/moments.hpp"

#include <cmath>
#include <limits>

#include "core/random/random_stream.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

struct Reference {
  long double mean = 0, squares = 0;
};

// The moments of one feature of `values` [rows, features], in extended precision.
template <class Value>
Reference reference_of(const std::vector<Value>& values, std::int64_t features, std::int64_t feature) {
  Reference found;
  const auto rows = static_cast<long double>(values.size() / static_cast<std::size_t>(features));
  for (auto index = static_cast<std::size_t>(feature); index < values.size();
       index += static_cast<std::size_t>(features))
    found.mean += values[index] / rows;
  for (auto index = static_cast<std::size_t>(feature); index < values.size();
       index += static_cast<std::size_t>(features))
    found.squares += (values[index] - found.mean) * (values[index] - found.mean);
  return found;
}

template <class Value>
FeatureMoments moments_of(const std::vector<Value>& values, std::int64_t features) {
  FeatureMoments moments(features);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(values.size()) / features; ++row) {
    rows.push_back(row);
    if (static_cast<std::int64_t>(rows.size()) < moments.rows_at_once()) continue;
    moments.add(values.data(), rows);
    rows.clear();
  }
  moments.add(values.data(), rows);
  return moments;
}

}  // namespace

TEST_CASE("moments of many rows are accurate when the mean is large and the deviation small") {
  struct Case {
    double mean, deviation;
  };
  for (const Case& hard : {Case{0, 1}, {1e6, 10}, {1e7, 2}, {3e4, 0.01}, {1e30, 1e29}})
    for (const int rows : {1000, 300000}) {
      CAPTURE(hard.mean, hard.deviation, rows);
      RandomStream stream(1, Purpose::synthetic_features);
      std::vector<float> values;
      for (int row = 0; row < rows; ++row)
        values.push_back(static_cast<float>(hard.mean + hard.deviation * stream.normal()));
      const Reference exact = reference_of(values, 1, 0);
      const FeatureMoments found = moments_of(values, 1);
      const auto squares = static_cast<double>(exact.squares);
      CHECK(found.count(0) == rows);
      CHECK(std::abs(found.squares(0) / squares - 1) < (rows == 1000 ? 1e-13 : 1e-11));
      CHECK(std::abs(found.mean(0) - static_cast<double>(exact.mean)) < 1e-8 * std::sqrt(squares / rows));
    }
}

TEST_CASE("moments are accurate for bytes and for more features than are summed at once") {
  constexpr std::int64_t features = 700;
  std::vector<std::uint8_t> bytes;
  for (std::int64_t index = 0; index < 500 * features; ++index)
    bytes.push_back(static_cast<std::uint8_t>(index * index % 251));
  const FeatureMoments found = moments_of(bytes, features);
  for (const std::int64_t feature : {0, 255, 256, 699}) {
    CAPTURE(feature);
    const Reference exact = reference_of(bytes, features, feature);
    CHECK(found.mean(feature) == Approx(static_cast<double>(exact.mean)).epsilon(1e-14));
    CHECK(found.squares(feature) == Approx(static_cast<double>(exact.squares)).epsilon(1e-12));
  }
}

TEST_CASE("repeated rows count repeatedly, and an empty list of rows changes nothing") {
  const std::vector<double> values = {1, 1e200, 4, -1e200};
  FeatureMoments found(2);
  found.add(values.data(), {});
  CHECK(found.count(0) == 0);
  found.add(values.data(), {0, 1, 1});
  CHECK(found.count(0) == 3);
  CHECK(found.mean(0) == 3);
  CHECK(found.squares(0) == 6);
  CHECK(found.least(1) == -1e200);
  CHECK(found.greatest(1) == 1e200);
  CHECK(std::isfinite(found.mean(1)));
}

TEST_CASE("NaN is skipped, whatever the order of rows and joins") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {1, nan, nan, nan, 2, nan, 3, 5, nan};  // 3 features
  FeatureMoments whole(3), joined(3);
  whole.add(values.data(), {0, 1, 2});
  for (const std::int64_t row : {0, 1, 2}) {
    FeatureMoments part(3);
    part.add(values.data(), {row});
    joined.join(part);
  }
  for (const FeatureMoments& found : {whole, joined}) {
    CHECK(found.count(0) == 2);
    CHECK(found.mean(0) == 2);
    CHECK(found.squares(0) == 2);
    CHECK(found.least(1) == 2);
    CHECK(found.greatest(1) == 5);
    CHECK(found.count(2) == 0);
    CHECK(found.greatest(2) < found.least(2));
  }
  const RowScaling scaling = scaling_of(whole, Normalize::standard);
  CHECK(scaling.shift == std::vector<double>{2, 3.5, 0});
  CHECK(scaling.divisor == std::vector<double>{1, 1.5, 1});
  CHECK(FeatureMoments::of_numbers(whole.numbers()).mean(1) == 3.5);
}
