// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/random/random_fill.hpp"
#include "data/moments.hpp"
#include "data/transform/number_cast.hpp"
#include "data/transform/transform_plan.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

template <class T>
std::vector<T> cast(const std::vector<double>& values, NumberType type) {
  std::vector<T> numbers(values.size());
  cast_numbers(values.data(), static_cast<std::int64_t>(values.size()), type,
               reinterpret_cast<std::byte*>(numbers.data()));
  return numbers;
}

DataSetInfo info_of(const std::vector<std::int64_t>& shape) {
  DataSetInfo info;
  info.shape = shape;
  return info;
}

}  // namespace

TEST_CASE("casts to integers round half to even and clamp to the range of the type") {
  const std::vector<double> values = {-1e300, -0.5, 0.5, 1.5, 2.5, 254.5, 255.5, 1e300};
  CHECK(cast<std::uint8_t>(values, NumberType::uint8) == std::vector<std::uint8_t>{0, 0, 0, 2, 2, 254, 255, 255});
  CHECK(cast<std::int8_t>(values, NumberType::int8) == std::vector<std::int8_t>{-128, 0, 0, 2, 2, 127, 127, 127});
  const auto longest = cast<std::int64_t>(values, NumberType::int64);
  CHECK(longest.front() == std::numeric_limits<std::int64_t>::min());
  CHECK(longest.back() == std::numeric_limits<std::int64_t>::max());
  CHECK(cast<std::uint64_t>({0x1p63, -1, 0x1p64}, NumberType::uint64) ==
        std::vector<std::uint64_t>{std::uint64_t{1} << 63, 0, std::numeric_limits<std::uint64_t>::max()});
  CHECK(cast<float>({1e300, 0.1}, NumberType::float32) ==
        std::vector<float>{std::numeric_limits<float>::infinity(), 0.1f});
  const auto halves = cast<Half>({70000, -0.5}, NumberType::float16);
  CHECK(std::vector<float>(halves.begin(), halves.end()) ==
        std::vector<float>{std::numeric_limits<float>::infinity(), -0.5f});
}

TEST_CASE("widen_numbers converts parts of rows of any type and width to double") {
  for (const std::int64_t columns : {1, 7, 8, 31, 64, 67}) {
    std::vector<std::uint8_t> bytes;
    for (std::int64_t index = 0; index < 3 * (columns + 2); ++index)
      bytes.push_back(static_cast<std::uint8_t>(255 - index % 251));
    const std::vector<float> floats(bytes.begin(), bytes.end());
    const std::vector<double> doubles(bytes.begin(), bytes.end());
    std::vector<double> expected;
    for (std::int64_t row = 0; row < 3; ++row)
      expected.insert(expected.end(), doubles.begin() + row * (columns + 2),
                      doubles.begin() + row * (columns + 2) + columns);
    expected.push_back(-1);
    const auto widened = [&](const auto& numbers) {
      std::vector<double> to(expected.size(), -1.0);
      widen_numbers({numbers.data(), columns + 2}, 3, columns, to.data());
      return to;
    };
    CHECK(widened(bytes) == expected);
    CHECK(widened(floats) == expected);
    CHECK(widened(doubles) == expected);
  }
}

TEST_CASE("moments are accurate far from zero, computed at once or joined from parts") {
  constexpr std::int64_t rows = 1000, features = 3;
  std::vector<float> normals(rows * features);
  fill_normal(StreamPlace{}, normals.data(), rows * features);
  std::vector<double> values;
  for (std::size_t index = 0; index < normals.size(); ++index)
    values.push_back(index % 3 == 2 ? 0.1 : (index % 3 == 1 ? 1e8 : 0) + double{normals[index]});
  FeatureMoments whole(features), joined(features);
  for (const std::int64_t begin : {0, 1, 400}) {
    const std::int64_t end = begin == 0 ? 1 : begin == 1 ? 400 : rows;
    FeatureMoments part(features);
    for (std::int64_t row = begin; row < end; ++row) {
      part.add(values.data(), {row});
      whole.add(values.data(), {row});
    }
    joined.join(part);
  }
  for (const FeatureMoments& moments : {whole, joined}) {
    CHECK(moments.count(0) == rows);
    for (std::int64_t feature = 0; feature < 2; ++feature) {
      double mean = 0, squares = 0;
      for (std::int64_t row = 0; row < rows; ++row)
        mean += values[static_cast<std::size_t>(row * features + feature)] / rows;
      for (std::int64_t row = 0; row < rows; ++row)
        squares += std::pow(values[static_cast<std::size_t>(row * features + feature)] - mean, 2);
      CHECK(moments.mean(feature) == Approx(mean).epsilon(1e-12).margin(1e-12));
      CHECK(moments.squares(feature) == Approx(squares).epsilon(1e-7));
    }
    const RowScaling standard = scaling_of(moments, Normalize::standard);
    CHECK(standard.shift[2] == 0.1);
    CHECK(standard.divisor[2] == 1);
    const RowScaling minmax = scaling_of(moments, Normalize::minmax);
    CHECK(minmax.shift[0] == moments.least(0));
    CHECK(minmax.divisor[0] == moments.greatest(0) - moments.least(0));
  }
}

TEST_CASE("the moments of features of one group are pooled") {
  FeatureMoments moments(4);
  const std::vector<double> rows = {1, 10, 3, 30, 5, 50, 7, 70};
  moments.add(rows.data(), {0, 1});
  const FeatureMoments pooled = moments.pooled({0, 1, 0, 1}, 2);
  CHECK(pooled.count(0) == 4);
  CHECK(pooled.mean(0) == 4);
  CHECK(pooled.squares(0) == 20);
  CHECK(pooled.least(1) == 10);
  CHECK(pooled.greatest(1) == 70);
}

TEST_CASE("the channel order follows from the shape or from the options") {
  TransformOptions options;
  options.height = options.width = 4;
  const auto planned = [&](const std::vector<std::int64_t>& shape) {
    return plan_transform(options, info_of(shape), NumberType::uint8, "data set").shape;
  };
  CHECK(planned({9, 3, 8, 8}) == std::vector<std::int64_t>{9, 3, 4, 4});
  CHECK(planned({9, 8, 8, 1}) == std::vector<std::int64_t>{9, 4, 4, 1});
  CHECK(planned({9, 8, 6}) == std::vector<std::int64_t>{9, 4, 4});
  CHECK_THROWS_AS(planned({9, 3, 8, 3}), RunError);
  CHECK_THROWS_AS(planned({9, 7, 8, 9}), RunError);
  CHECK_THROWS_AS(planned({9, 64}), RunError);
  CHECK_THROWS_AS(planned({0, 3, 8, 8}), RunError);
  options.layout = ChannelOrder::last;
  CHECK(planned({9, 3, 8, 7}) == std::vector<std::int64_t>{9, 4, 4, 7});
  options.channels = ChannelOrder::first;
  CHECK(planned({9, 3, 8, 7}) == std::vector<std::int64_t>{9, 7, 4, 4});
  CHECK(planned({9, 8, 6}) == std::vector<std::int64_t>{9, 1, 4, 4});
}

TEST_CASE("a transform keeps the number type unless it makes fractions of integers or options.cast is set") {
  TransformOptions options;
  const auto type = [&](std::optional<NumberType> stored) {
    return plan_transform(options, info_of({9, 3, 8, 8}), stored, "data set").type;
  };
  CHECK(type(NumberType::uint8) == NumberType::uint8);
  CHECK(type(std::nullopt) == NumberType::float32);
  options.normalize = Normalize::minmax;
  CHECK(type(NumberType::uint8) == NumberType::float32);
  CHECK(type(NumberType::float16) == NumberType::float16);
  CHECK(type(NumberType::float64) == NumberType::float64);
  options.cast = NumberType::int16;
  CHECK(type(NumberType::float64) == NumberType::int16);
}
