// Scaling of regression targets for training. Trainers work on scaled targets; their losses, outputs and networks are
// converted back, so other code works in the units of the targets. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"

namespace sheaf {

/// scaled = (target - shift) / unit, with a shift and a unit for each output. Targets are not scaled if both are empty.
struct TargetScaling {
  std::vector<float> shift;
  std::vector<double> unit;

  bool is_active() const { return !shift.empty(); }
  /// The scaled value of a target.
  template <class Value>
  Value scaled(float target, std::int64_t output) const {
    const auto index = static_cast<std::size_t>(output);
    return static_cast<Value>((double{target} - double{shift[index]}) / unit[index]);
  }
};

/// The mean and the (population) standard deviation of each target over `rows`; the unit of a constant target is 1.
TargetScaling target_scaling(const DataSet& data, const RowSet& rows);

/// Converts `count` rows of outputs, [count, outputs], to the units of the targets, in place.
void to_target_units(const TargetScaling& scaling, std::int64_t count, float* outputs);

}  // namespace sheaf
