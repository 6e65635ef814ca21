// Scaling of regression targets for training. Trainers work on scaled targets; their losses, outputs and networks are
// converted back, so nothing else needs to know. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"

namespace sheaf {

/// scaled = (target - shift) / unit, with one shift per output. The unit is common to all outputs, so the scaled
/// squared error is the squared error divided by unit^2. Targets are not scaled if `shift` is empty; `unit` is then 1.
struct TargetScaling {
  std::vector<float> shift;
  double unit = 1;

  bool any() const { return !shift.empty(); }
  /// The scaled value of a target.
  template <class Value>
  Value scaled(float target, std::int64_t output) const {
    return static_cast<Value>((double{target} - double{shift[static_cast<std::size_t>(output)]}) / unit);
  }
};

/// The means of the targets over `rows`, and the square root of the mean of their variances (1 if all are constant).
TargetScaling target_scaling(const DataSet& data, const RowSet& rows);

/// Converts a squared error, or a sum of squared errors, to the units of the targets.
inline double in_target_units(double loss, const TargetScaling& scaling) {
  return loss * scaling.unit * scaling.unit;
}

/// Converts `count` rows of outputs, [count, outputs], to the units of the targets, in place.
void to_target_units(const TargetScaling& scaling, std::int64_t count, float* outputs);

}  // namespace sheaf
