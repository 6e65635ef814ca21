// Builds row sets from lists of rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/row_set.hpp"

namespace sheaf::test {

/// The set of `rows`, in ascending order, in a data set that ends with the last of them.
inline RowSet row_set(const std::vector<std::int64_t>& rows) {
  std::vector<std::uint8_t> times(rows.empty() ? 0 : static_cast<std::size_t>(rows.back()) + 1, 0);
  for (const std::int64_t row : rows) ++times[static_cast<std::size_t>(row)];
  return RowSet::sample(std::move(times));
}

}  // namespace sheaf::test
