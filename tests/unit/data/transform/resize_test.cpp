// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random/random_fill.hpp"
#include "data/transform/image_resize.hpp"
#include "data/transform/matrix_kernels.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Numbers = std::vector<double>;

Numbers random_numbers(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_uniform(StreamPlace{}, values.data(), count);
  return {values.begin(), values.end()};
}

// The line's value at any integer index. Beyond its ends, the line is mirrored.
double mirrored(const Numbers& line, std::int64_t index) {
  const auto last = static_cast<std::int64_t>(line.size()) - 1;
  if (last == 0) return line[0];
  while (index < 0 || index > last) index = index < 0 ? -index : 2 * last - index;
  return line[static_cast<std::size_t>(index)];
}

// Resizes a line by the definition: blurs each pixel, then interpolates.
Numbers resized(const Numbers& line, std::int64_t size) {
  const double factor = static_cast<double>(line.size()) / static_cast<double>(size);
  const double sigma = (factor - 1) / 2;
  Numbers blurred = line;
  if (sigma > 0) {
    const auto radius = static_cast<std::int64_t>(4 * sigma + 0.5);
    for (std::size_t pixel = 0; pixel < line.size(); ++pixel) {
      double sum = 0, weights = 0;
      for (std::int64_t tap = -radius; tap <= radius; ++tap) {
        const double weight = std::exp(-static_cast<double>(tap * tap) / (2 * sigma * sigma));
        weights += weight;
        sum += weight * mirrored(line, static_cast<std::int64_t>(pixel) + tap);
      }
      blurred[pixel] = sum / weights;
    }
  }
  Numbers result;
  for (std::int64_t pixel = 0; pixel < size; ++pixel) {
    const double center = (static_cast<double>(pixel) + 0.5) * factor - 0.5, left = std::floor(center);
    const auto index = static_cast<std::int64_t>(left);
    result.push_back((1 - center + left) * mirrored(blurred, index) + (center - left) * mirrored(blurred, index + 1));
  }
  return result;
}

double largest_difference(const Numbers& one, const Numbers& other) {
  REQUIRE(one.size() == other.size());
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) largest = std::max(largest, std::abs(one[i] - other[i]));
  return largest;
}

// Resizes an image [H, W, C] by the definition: its columns first, then its rows.
Numbers resized_image(const Numbers& image, const ImageShape& from, const ImageShape& to) {
  const auto at = [&](std::int64_t y, std::int64_t x, std::int64_t c, std::int64_t width) {
    return static_cast<std::size_t>((y * width + x) * from.channels + c);
  };
  Numbers tall(static_cast<std::size_t>(to.height * from.width * from.channels));
  Numbers result(static_cast<std::size_t>(to.height * to.width * from.channels));
  for (std::int64_t c = 0; c < from.channels; ++c) {
    for (std::int64_t x = 0; x < from.width; ++x) {
      Numbers line;
      for (std::int64_t y = 0; y < from.height; ++y) line.push_back(image[at(y, x, c, from.width)]);
      line = resized(line, to.height);
      for (std::int64_t y = 0; y < to.height; ++y) tall[at(y, x, c, from.width)] = line[static_cast<std::size_t>(y)];
    }
    for (std::int64_t y = 0; y < to.height; ++y) {
      Numbers line;
      for (std::int64_t x = 0; x < from.width; ++x) line.push_back(tall[at(y, x, c, from.width)]);
      line = resized(line, to.width);
      for (std::int64_t x = 0; x < to.width; ++x) result[at(y, x, c, to.width)] = line[static_cast<std::size_t>(x)];
    }
  }
  return result;
}

Numbers channels_first(const Numbers& image, const ImageShape& shape) {
  Numbers result;
  for (std::int64_t c = 0; c < shape.channels; ++c)
    for (std::int64_t pixel = 0; pixel < shape.height * shape.width; ++pixel)
      result.push_back(image[static_cast<std::size_t>(pixel * shape.channels + c)]);
  return result;
}

}  // namespace

TEST_CASE("resizing a line equals the definition, for all lengths") {
  for (const std::int64_t from : {1, 2, 3, 5, 8, 16, 33, 100})
    for (const std::int64_t to : {1, 2, 3, 4, 8, 15, 33, 70, 200}) {
      const Numbers line = random_numbers(from);
      const BandMatrix matrix = resize_operator(from, to);
      REQUIRE(matrix.rows() == to);
      Numbers result(static_cast<std::size_t>(to));
      multiply(matrix, line.data(), 1, result.data());
      INFO(from << " to " << to);
      CHECK(largest_difference(result, resized(line, to)) < 1e-13);
    }
}

TEST_CASE("the weights of each row of a resize operator sum to 1 and are limited by the width of the blur") {
  const BandMatrix matrix = resize_operator(128, 64);
  for (std::size_t row = 0; row < 64; ++row) {
    const auto begin = matrix.weights.begin() + matrix.offsets[row],
               end = matrix.weights.begin() + matrix.offsets[row + 1];
    CHECK(end - begin <= 6);  // five for the blur, and one for the interpolation between two pixels
    double sum = 0;
    std::for_each(begin, end, [&](double weight) { sum += weight; });
    CHECK(sum == Approx(1).epsilon(1e-14));
  }
}

TEST_CASE("an operator split by rows gives the same product, and each part reads only the columns it needs") {
  for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{40, 17}, {9, 30}, {5, 5}, {1, 4}}) {
    const BandMatrix matrix = resize_operator(from, to);
    const Numbers in = random_numbers(from * 3);
    Numbers whole(static_cast<std::size_t>(to * 3)), together;
    multiply(matrix, in.data(), 3, whole.data());
    std::int64_t next = 0;
    for (const BandRows& part : split_rows(matrix, 4)) {
      CHECK(part.rows.begin == next);
      CHECK(part.rows.count() == std::min<std::int64_t>(4, to - next));
      CHECK(part.matrix.rows() == part.rows.count());
      REQUIRE(part.first_column >= 0);
      REQUIRE(part.first_column + part.matrix.columns <= from);
      Numbers product(static_cast<std::size_t>(part.rows.count() * 3));
      const auto first = in.begin() + part.first_column * 3;
      const Numbers needed(first, first + part.matrix.columns * 3);
      multiply(part.matrix, needed.data(), 3, product.data());
      together.insert(together.end(), product.begin(), product.end());
      next = part.rows.end;
    }
    CHECK(together == whole);
  }
}

TEST_CASE("products equal the definition for any width") {
  const BandMatrix matrix = resize_operator(9, 5);
  for (std::int64_t width = 1; width < 70; ++width) {
    const Numbers in = random_numbers(9 * width);
    Numbers out(static_cast<std::size_t>(5 * width + 1), -1.0);
    multiply(matrix, in.data(), width, out.data());
    for (std::int64_t column = 0; column < width; ++column) {
      Numbers line;
      for (std::int64_t row = 0; row < 9; ++row) line.push_back(in[static_cast<std::size_t>(row * width + column)]);
      const Numbers expected = resized(line, 5);
      for (std::int64_t row = 0; row < 5; ++row)
        CHECK(out[static_cast<std::size_t>(row * width + column)] ==
              Approx(expected[static_cast<std::size_t>(row)]).epsilon(1e-13));
    }
    CHECK(out.back() == -1);
  }
}

TEST_CASE("transpose handles matrices of any shape, also as parts of larger ones") {
  for (const std::int64_t rows : {1, 2, 3, 8, 17, 33})
    for (const std::int64_t columns : {1, 2, 5, 16, 17, 31, 48}) {
      const Numbers from = random_numbers(rows * (columns + 3));
      Numbers to(static_cast<std::size_t>(columns * (rows + 2)), -1.0);
      transpose({from.data(), columns + 3}, rows, columns, {to.data(), rows + 2});
      bool same = true;
      for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = 0; row < rows + 2; ++row)
          same = same && to[static_cast<std::size_t>(column * (rows + 2) + row)] ==
                             (row < rows ? from[static_cast<std::size_t>(row * (columns + 3) + column)] : -1);
      INFO(rows << " x " << columns);
      CHECK(same);
    }
}

TEST_CASE("images are resized with channels first and channels last") {
  for (const auto& [from, to] : {std::pair<ImageShape, ImageShape>{{3, 13, 9}, {3, 6, 14}},
                                 {{1, 8, 8}, {1, 4, 4}},
                                 {{4, 5, 20}, {4, 11, 7}},
                                 {{3, 40, 50}, {3, 19, 23}},
                                 {{3, 12, 200}, {3, 5, 90}},
                                 {{3, 6, 7}, {3, 6, 7}}}) {
    const Numbers image = random_numbers(from.channels * from.height * from.width);
    const Numbers expected = resized_image(image, from, to);
    for (const ChannelOrder before : {ChannelOrder::first, ChannelOrder::last})
      for (const ChannelOrder after : {ChannelOrder::first, ChannelOrder::last}) {
        const ImageResize resize({from, before}, {to, after});
        const Numbers in = before == ChannelOrder::last ? image : channels_first(image, from);
        Numbers out(expected.size());
        ImageScratch scratch;
        resize.apply(in.data(), out.data(), scratch);
        CHECK(largest_difference(out, after == ChannelOrder::last ? expected : channels_first(expected, to)) < 1e-13);
        const std::vector<float> floats(in.begin(), in.end());  // exact, since the numbers are floats
        Numbers of_floats(expected.size());
        resize.apply(floats.data(), of_floats.data(), scratch);
        CHECK(of_floats == out);
      }
  }
}

TEST_CASE("bytes are resized like the same values as double") {
  const ImageResize resize({{3, 30, 41}, ChannelOrder::last}, {{3, 12, 17}, ChannelOrder::first});
  Numbers image = random_numbers(resize.from().elements());
  for (double& value : image) value = std::floor(255 * value);
  const std::vector<std::uint8_t> bytes(image.begin(), image.end());
  Numbers one(static_cast<std::size_t>(resize.to().elements())), other(one.size());
  ImageScratch scratch;
  resize.apply(image.data(), one.data(), scratch);
  resize.apply(bytes.data(), other.data(), scratch);
  CHECK(one == other);
}
