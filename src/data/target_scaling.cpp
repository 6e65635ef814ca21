// SPDX-License-Identifier: MIT
#include "data/target_scaling.hpp"

#include <cassert>

#include "data/row_moments.hpp"

namespace sheaf {

TargetScaling target_scaling(const DataSet& data, const RowSet& rows) {
  assert(data.targets != nullptr && !rows.empty());
  const RowScaling exact = scaling_of(moments_of(data.targets, data.output_count, rows), Normalize::standard);
  TargetScaling scaling;
  for (const double shift : exact.shift) scaling.shift.push_back(static_cast<float>(shift));
  scaling.unit = exact.divisor;
  return scaling;
}

void to_target_units(const TargetScaling& scaling, std::int64_t count, float* outputs) {
  const std::size_t width = scaling.shift.size();
  for (std::int64_t row = 0; row < count; ++row, outputs += width)
    for (std::size_t output = 0; output < width; ++output)
      outputs[output] =
          static_cast<float>(double{outputs[output]} * scaling.unit[output] + double{scaling.shift[output]});
}

}  // namespace sheaf
