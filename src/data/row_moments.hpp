// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/moments.hpp"
#include "data/row_set.hpp"

namespace sheaf {

/// The moments of the given rows of `values`, [rows, features]. Pure.
template <class Value>
FeatureMoments moments_of(const Value* values, std::int64_t features, const RowSet& rows) {
  FeatureMoments moments(features);
  const auto at_once = static_cast<std::size_t>(moments.rows_at_once());
  std::vector<std::int64_t> some;
  rows.for_each([&](std::int64_t row) {
    some.push_back(row);
    if (some.size() < at_once) return;
    moments.add(values, some);
    some.clear();
  });
  moments.add(values, some);
  return moments;
}

}  // namespace sheaf
