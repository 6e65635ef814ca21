// SPDX-License-Identifier: MIT
#include "data/target_scaling.hpp"

#include <cassert>
#include <cmath>

#include "data/row_moments.hpp"

namespace sheaf {

TargetScaling target_scaling(const DataSet& data, const RowSet& rows) {
  assert(data.targets != nullptr && !rows.empty());
  const FeatureMoments moments = moments_of(data.targets, data.output_count, rows);
  TargetScaling scaling;
  double squares = 0;
  for (std::int64_t output = 0; output < data.output_count; ++output) {
    scaling.shift.push_back(static_cast<float>(moments.mean(output)));
    // A constant column may have a deviation that is not exactly 0.
    if (moments.greatest(output) > moments.least(output)) squares += moments.squares(output);
  }
  const double variance = squares / static_cast<double>(moments.count() * data.output_count);
  scaling.unit = variance > 0 ? std::sqrt(variance) : 1;
  return scaling;
}

void to_target_units(const TargetScaling& scaling, std::int64_t count, float* outputs) {
  if (!scaling.any()) return;
  for (std::int64_t row = 0; row < count; ++row)
    for (const float shift : scaling.shift) {
      *outputs = static_cast<float>(double{*outputs} * scaling.unit + double{shift});
      ++outputs;
    }
}

}  // namespace sheaf
