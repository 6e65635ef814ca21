// The scaling of features that follows from the training rows of a split.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/feature_scaling.hpp"
#include "data/moments.hpp"
#include "data/row_set.hpp"
#include "study/trial.hpp"

namespace sheaf {

/// The statistics of training rows from which feature_scaling() follows.
struct StatisticsNeeds {
  bool moments = false;
  bool sample = false;

  /// `fills` may be null.
  StatisticsNeeds(const FeatureFills* fills, ScalingKind kind);
};

/// The scaling, the fill values and the edges that follow from the statistics of training rows. `fills` may be null;
/// `moments` and `sample` as needed, otherwise null and empty. `categories`: category_features(), which are not scaled.
/// Pure.
FeatureScaling feature_scaling(const FeatureFills* fills, const FeatureMoments* moments,
                               const std::vector<float>& sample, ScalingKind kind, std::int64_t features,
                               const std::vector<std::int64_t>& categories);

/// Same, from the given rows of `data`, and from those of `sampled` (data/row_sample) that are among them. Bitwise
/// reproducible. Pure.
FeatureScaling feature_scaling(const DataSet& data, const RowSet& rows, ScalingKind kind,
                               const std::vector<std::int64_t>& sampled);

}  // namespace sheaf
