// SPDX-License-Identifier: MIT
#include "core/random/random_stream.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "support/catch.hpp"

using namespace sheaf;

// Known answers of Philox4x32-10 for counter and key zero, from Random123's file kat_vectors.
TEST_CASE("a stream is Philox4x32-10 with counter (block, index, purpose) and the seed as the key") {
  RandomStream stream(0, static_cast<Purpose>(0));
  CHECK(stream.bits() == 0x6627e8d5u);
  CHECK(stream.bits() == 0xe169c58du);
  CHECK(stream.bits() == 0xbc57ac4cu);
  CHECK(stream.bits() == 0x9b00dbd8u);
}

TEST_CASE("streams with different seeds, purposes or indices differ") {
  const auto first = [](std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    RandomStream stream(seed, purpose, index);
    return stream.bits();
  };
  const std::set<std::uint32_t> firsts = {
      first(1, Purpose::dropout, 0), first(2, Purpose::dropout, 0),          first(1, Purpose::bootstrap, 0),
      first(1, Purpose::dropout, 1), first(1ull << 32, Purpose::dropout, 0), first(1, Purpose::dropout, 1ull << 32)};
  CHECK(firsts.size() == 6);
}

TEST_CASE("uniform and normal draws have the moments of their distributions") {
  RandomStream stream(7, Purpose::synthetic_features);
  const int count = 200000;
  double sum = 0, squares = 0, uniform_sum = 0, cubes = 0;
  for (int i = 0; i < count; ++i) {
    const double value = stream.normal();
    sum += value;
    squares += value * value;
    cubes += value * value * value;
    const float u = stream.uniform();
    CHECK_FALSE((u < 0 || u >= 1));
    uniform_sum += u;
  }
  // five standard errors each
  CHECK(std::abs(sum / count) < 5 / std::sqrt(count));
  CHECK(std::abs(squares / count - 1) < 5 * std::sqrt(2.0 / count));
  CHECK(std::abs(cubes / count) < 5 * std::sqrt(15.0 / count));
  CHECK(std::abs(uniform_sum / count - 0.5) < 5 * std::sqrt(1.0 / 12 / count));
}

TEST_CASE("below is uniform and never reaches its bound") {
  RandomStream stream(3, Purpose::bootstrap);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen.at(stream.below(7));
  for (int count : seen) CHECK(std::abs(count - 10000) < 5 * 93);
  CHECK(stream.below(1) == 0);
}

TEST_CASE("shuffle gives a permutation, and each element is equally likely to come first") {
  std::array<int, 5> first{};
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    std::vector<std::int64_t> values(5);
    std::iota(values.begin(), values.end(), 0);
    RandomStream stream(seed, Purpose::batch_order);
    shuffle(values.data(), 5, stream);
    ++first.at(static_cast<std::size_t>(values[0]));
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < 5; ++i) REQUIRE(values[i] == static_cast<std::int64_t>(i));
  }
  for (int count : first) CHECK(std::abs(count - 1000) < 5 * 29);
}

TEST_CASE("iteration seeds are distinct and exactly representable as double") {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t counter = 0; counter < 10000; ++counter) {
    const std::uint64_t seed = iteration_seed(7, counter);
    CHECK_FALSE(seed >> 53);
    seeds.insert(seed);
  }
  CHECK(seeds.size() == 10000);
  CHECK(iteration_seed(7, 0) != iteration_seed(8, 0));
}
