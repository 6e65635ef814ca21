// SPDX-License-Identifier: MIT
#include "models/dropout_mask.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t count = 40000;

std::vector<float> mask(TrainingStep step, std::size_t layer, double rate = 0.25) {
  std::vector<float> values(count, -1.0f);
  draw_dropout_mask(step, layer, rate, 0, values.data(), count);
  return values;
}

}  // namespace

TEST_CASE("a dropout mask has zeros and ones, with a fraction of ones of one minus the rate") {
  const auto values = mask({7, 3}, 1);
  const auto kept = std::count(values.begin(), values.end(), 1.0f);
  CHECK(kept + std::count(values.begin(), values.end(), 0.0f) == count);
  CHECK(std::abs(static_cast<double>(kept) - 0.75 * count) <
        5 * std::sqrt(0.75 * 0.25 * count));  // five standard deviations
  const auto all = mask({7, 3}, 1, 0);
  CHECK(std::count(all.begin(), all.end(), 1.0f) == count);
}

TEST_CASE("a dropout mask of bytes has the values of one of floats") {
  const auto values = mask({7, 3}, 1);
  for (const std::int64_t first : {0, 4, 1024}) {
    std::vector<std::uint8_t> bytes(5001, 7);
    draw_dropout_mask({7, 3}, 1, 0.25, first, bytes.data(), 5000);
    CHECK(std::equal(bytes.begin(), bytes.end() - 1, values.begin() + first));
    CHECK(bytes.back() == 7);
  }
}

TEST_CASE("each iteration, step and layer has its own reproducible mask") {
  const auto first = mask({7, 3}, 1);
  CHECK(first == mask({7, 3}, 1));
  for (const auto& other : {mask({8, 3}, 1), mask({7, 4}, 1), mask({7, 3}, 2)}) {
    std::int64_t equal = 0;
    for (std::size_t i = 0; i < count; ++i) equal += first[i] == other[i] ? 1 : 0;
    // Elements of two independent masks are equal with probability p^2 + (1 - p)^2 = 0.625.
    CHECK(std::abs(static_cast<double>(equal) - 0.625 * count) < 5 * std::sqrt(0.625 * 0.375 * count));
  }
}
