// SPDX-License-Identifier: MIT
#include "data/row_sample.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/random/random_stream.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t max_sampled_rows = 1 << 16;
constexpr std::int64_t max_sampled_values = 1 << 24;

}  // namespace

// Source: Robert Floyd's algorithm, in Bentley, "A Sample of Brilliance", Communications of the ACM 30 (1987).
std::vector<std::int64_t> drawn_rows(std::int64_t rows, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> sample(static_cast<std::size_t>(std::min(rows, count)));
  std::iota(sample.begin(), sample.end(), 0);
  if (rows <= count) return sample;
  RandomStream stream(seed, Purpose::sampled_rows);
  std::unordered_set<std::int64_t> drawn;
  drawn.reserve(sample.size());
  sample.clear();
  for (std::int64_t last = rows - count; last < rows; ++last) {
    const auto row = static_cast<std::int64_t>(stream.uniform_double() * static_cast<double>(last + 1));
    const std::int64_t added = drawn.insert(row).second ? row : last;
    if (added != row) drawn.insert(last);
    sample.push_back(added);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t features, std::uint64_t seed) {
  return drawn_rows(rows, std::clamp<std::int64_t>(max_sampled_values / features, 1, max_sampled_rows), seed);
}

}  // namespace sheaf
