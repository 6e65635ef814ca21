// The rows of a data set from which quantiles are computed. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/row_set.hpp"

namespace sheaf {

/// Up to 65536 rows or, for many features, 64 MiB of values: all rows, in ascending order. Of more rows, that many are
/// drawn at random, so that the order of the rows has no effect.
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
