// SPDX-License-Identifier: MIT
#include "core/random/random_fill.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/random/random_stream.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr StreamPlace start{0x123456789abcdef0u, Purpose::dropout, 0xfedcba9876543210u};
constexpr std::int64_t most = 300;  // more than two rounds of any loop

// The bits that fill(values, count) writes. Checks for every count, at every alignment, that it writes only those.
template <class Value, class Fill>
std::vector<std::uint32_t> filled(const Fill& fill) {
  std::vector<Value> whole(most);
  fill(whole.data(), most);
  for (std::int64_t count = 0; count < most; ++count) {
    const std::size_t before = static_cast<std::size_t>(count) % 16;
    std::vector<Value> values(before + static_cast<std::size_t>(count) + 16, Value{77});
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(before);
    fill(&*begin, count);
    REQUIRE(std::equal(begin, begin + count, whole.begin()));
    REQUIRE(std::count(values.begin(), begin, Value{77}) == static_cast<std::ptrdiff_t>(before));
    REQUIRE(std::count(begin + count, values.end(), Value{77}) == 16);
  }
  std::vector<std::uint32_t> bits(most);
  std::memcpy(bits.data(), whole.data(), most * sizeof(Value));
  return bits;
}

// The words that Random123 draws, beginning with block `block`.
std::vector<std::uint32_t> expected_words(std::uint64_t block) {
  std::vector<std::uint32_t> words;
  for (; words.size() < most; ++block) {
    const auto overflow = static_cast<std::uint32_t>(block >> 32) << 16;
    const r123::Philox4x32::ctr_type counter{
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(start.index),
         static_cast<std::uint32_t>(start.index >> 32), static_cast<std::uint32_t>(Purpose::dropout) + overflow}};
    const r123::Philox4x32::key_type key{
        {static_cast<std::uint32_t>(start.seed), static_cast<std::uint32_t>(start.seed >> 32)}};
    const auto drawn = r123::Philox4x32{}(counter, key);
    words.insert(words.end(), drawn.begin(), drawn.end());
  }
  words.resize(most);
  return words;
}

std::vector<float> normals_for(const std::vector<std::uint32_t>& words) {
  std::vector<float> values(words.size());
  normals_of(words.data(), values.data(), static_cast<std::int64_t>(words.size()));
  return values;
}

std::vector<float> many_normals() {
  std::vector<float> values(400000);
  fill_normal({7, Purpose::synthetic_features}, values.data(), static_cast<std::int64_t>(values.size()));
  return values;
}

}  // namespace

TEST_CASE("fill_bits equals Philox4x32-10 on every instruction set, also when the counter's first word overflows") {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    std::printf("runs %s\n", hwy::TargetName(target));
  on_every_target([] {
    for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 32) - 7}) {
      StreamPlace stream = start;
      stream.block = block;
      CHECK(filled<std::uint32_t>([&](auto* bits, auto count) { fill_bits(stream, bits, count); }) ==
            expected_words(block));
    }
  });
}

TEST_CASE("filled arrays equal the values of the stream on every instruction set") {
  on_every_target([] {
    RandomStream bits(start.seed, start.purpose, start.index), uniform = bits, mask = bits;
    std::vector<std::uint32_t> words(most);
    fill_bits(start, words.data(), most);
    std::vector<float> values(most), zeros_and_ones(most);
    filled<float>([](float* out, auto count) { fill_uniform(start, out, count); });
    filled<float>([](float* out, auto count) { fill_mask(start, 0xb0000000u, out, count); });
    fill_uniform(start, values.data(), most);
    fill_mask(start, words[7], zeros_and_ones.data(), most);  // word 7 itself is not below the threshold
    for (std::size_t i = 0; i < most; ++i) {
      CHECK(words[i] == bits.bits());
      CHECK(values[i] == uniform.uniform());
      CHECK(zeros_and_ones[i] == (mask.bits() < words[7] ? 0.0f : 1.0f));
    }
  });
}

TEST_CASE("normals are bitwise the same on every instruction set and equal those of the stream's words") {
  std::vector<std::uint32_t> words(most);
  fill_bits(start, words.data(), most);
  const auto values = normals_for(words);
  std::vector<std::uint32_t> expected(most);
  std::memcpy(expected.data(), values.data(), most * sizeof(float));
  const auto many = many_normals();
  on_every_target([&] {
    CHECK(filled<float>([](float* out, auto count) { fill_normal(start, out, count); }) == expected);
    CHECK(normals_for(words) == values);
    const auto again = many_normals();
    CHECK(std::memcmp(many.data(), again.data(), many.size() * sizeof(float)) == 0);
  });
}

TEST_CASE("normals equal the Box-Muller transform up to float rounding") {
  std::vector<std::uint32_t> words(400000);
  fill_bits({3, Purpose::bootstrap}, words.data(), static_cast<std::int64_t>(words.size()));
  const std::uint32_t extremes[] = {0, 1, 2, 0x1fffffff, 0x20000000, 0x3fffffff, 0x7fffffff, 0x80000000, 0xffffffff};
  for (const std::uint32_t a : extremes)
    for (const std::uint32_t b : extremes) words.insert(words.end(), {a, b});
  const auto values = normals_for(words);
  double worst = 0;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    // u must be rounded as in the definition: near 1, the result depends on the rounding
    const double u = double{(static_cast<float>(words[i] >> 1) + 0.5f) * 0x1p-31f};
    const double radius = std::sqrt(-2 * std::log(u));
    const double part = static_cast<double>(static_cast<std::int32_t>(words[i + 1] << 2)) * 0x1p-34;
    const double angle = 6.283185307179586476925 * (0.25 * (words[i + 1] >> 30) + part);
    worst = std::max({worst, std::abs(double{values[i]} - radius * std::cos(angle)),
                      std::abs(double{values[i + 1]} - radius * std::sin(angle))});
  }
  // The largest values are 6.7, where the unit in the last place is 4.8e-7. Half of it is lost in each of the radius,
  // the direction and their product.
  INFO("worst " << worst);
  CHECK(worst < 1e-6);
}

TEST_CASE("normals are finite for radii near 0 and near the maximum") {
  std::vector<std::uint32_t> words;
  for (std::uint32_t step = 0; step < 40000; ++step) {
    words.insert(words.end(), {step, 0x12345678u});
    words.insert(words.end(), {0xffffffffu - 64 * step, 0x12345678u});
  }
  const auto values = normals_for(words);
  CHECK(std::all_of(values.begin(), values.end(), [](float value) { return std::abs(value) < 6.7f; }));
}

TEST_CASE("normals have the moments and the distribution function of the normal distribution") {
  auto values = many_normals();
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (const float single : values) {
    const double value = double{single};
    sum += value;
    squares += value * value;
    cubes += value * value * value;
    fourths += value * value * value * value;
  }
  // five standard errors each
  CHECK(std::abs(sum / count) < 5 / std::sqrt(count));
  CHECK(std::abs(squares / count - 1) < 5 * std::sqrt(2 / count));
  CHECK(std::abs(cubes / count) < 5 * std::sqrt(15 / count));
  CHECK(std::abs(fourths / count - 3) < 5 * std::sqrt(96 / count));
  std::sort(values.begin(), values.end());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = 0.5 * std::erfc(-double{values[i]} * std::sqrt(0.5));
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / count),
                         std::abs(expected - static_cast<double>(i + 1) / count)});
  }
  CHECK(distance * std::sqrt(count) < 2.2);  // Kolmogorov-Smirnov test at the 1e-4 level
}

TEST_CASE("neighboring normals and their squares are uncorrelated") {
  const auto values = many_normals();
  for (std::size_t lag = 1; lag <= 5; ++lag) {
    double products = 0, squares = 0;
    for (std::size_t i = lag; i < values.size(); ++i) {
      const double x = double{values[i - lag]}, y = double{values[i]};
      products += x * y;
      squares += (x * x - 1) * (y * y - 1);
    }
    const double error = std::sqrt(static_cast<double>(values.size()));
    CHECK(std::abs(products) < 5 * error);
    CHECK(std::abs(squares) < 5 * 2 * error);
  }
}
