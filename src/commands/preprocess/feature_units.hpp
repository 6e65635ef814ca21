// The scaling that `sheaf preprocess` has applied to a file: stored beside the features, to scale other files in the
// same way and to notice files in other units. Local.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/moments.hpp"
#include "data/transform/transform_plan.hpp"

namespace sheaf {

/// The scaling that a preprocessed file stores.
struct StoredScaling {
  Normalize normalize = Normalize::none;
  ScalingUnit unit = ScalingUnit::feature;
  RowScaling values;
  std::vector<std::int64_t> row_shape;            ///< of the scaled features
  std::optional<std::string> channels;            ///< attribute `channels` of the scaled features
  std::optional<std::vector<std::string>> names;  ///< attribute `feature_names`
};

/// The names of the data sets of shift and divisor. `features`: with the leading "/".
std::string shift_name(const std::string& features);
std::string divisor_name(const std::string& features);

/// The attribute `scaling`: the kind of scaling and a checksum of its numbers, after `before`, the attribute of the
/// input. Files with the same text have the same units. Pure.
std::string units_text(const TransformPlan& plan, const RowScaling& values, const std::string& before);

/// The attribute `scaling` of a data set; empty without one. Throws RunError if the file cannot be read.
std::string stored_units(const std::string& path, const std::string& features);

/// Throws RunError unless rows that the plan makes from the data set `features` of `input` have the layout and the
/// names of those in `like`, from which `scaling` was read. `features`: with the leading "/".
void require_same_features(const StoredScaling& scaling, const TransformPlan& plan, const std::string& input,
                           const std::string& like, const std::string& features);

/// Reads the scaling of a preprocessed file. Throws RunError if it has none.
StoredScaling read_stored_scaling(const std::string& path, const std::string& features);

}  // namespace sheaf
