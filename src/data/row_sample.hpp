// Rows that are drawn from a data set, such as those from which quantiles are computed. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/row_set.hpp"

namespace sheaf {

/// `count` of the rows 0..rows-1, drawn at random without repetition, in ascending order; all rows if there are not
/// more.
std::vector<std::int64_t> drawn_rows(std::int64_t rows, std::int64_t count, std::uint64_t seed);

/// The rows from which quantiles are computed. Up to 65536 rows or, for many features, 64 MiB of values: all rows, in
/// ascending order. Of more rows, that many are drawn at random, so that the order of the rows has no effect.
std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t features, std::uint64_t seed);

/// Calls use(place) for each row of `sample` that is in `rows`, which have no repetitions; `place` is its position in
/// the sample.
template <class Use>
void for_each_sampled(const std::vector<std::int64_t>& sample, const RowSet& rows, const Use& use) {
  std::size_t place = 0;
  rows.for_each([&](std::int64_t row) {
    while (place < sample.size() && sample[place] < row) ++place;
    if (place < sample.size() && sample[place] == row) use(place);
  });
}

}  // namespace sheaf
