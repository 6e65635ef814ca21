// The edges of a piecewise linear embedding of features: between which quantiles of the training rows a value lies.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/feature_scaling.hpp"

namespace sheaf {

/// The edges of a feature: quantiles at even fractions from 0 to 1. Source: compute_bins() of rtdl_num_embeddings.
inline constexpr std::int64_t max_edges = 49;
inline constexpr std::int64_t max_bins = max_edges - 1;

/// The number of piecewise linear functions of each feature.
inline constexpr std::int64_t embedding_width = 8;

/// Quantiles that are closer than this to the edge before them are left out: the function would jump between them.
inline constexpr float min_edge_distance = 1e-6f;

/// The edges of each number, [numbers, max_edges], in ascending order, followed by infinity: the different quantiles of
/// the values of `sample`, [rows, features], after filling and scaling. Numbers are the features that are not among
/// `categories` (ascending). A feature that is constant in the sample has one edge.
std::vector<float> feature_edges(const std::vector<float>& sample, std::int64_t features,
                                 const std::vector<std::int64_t>& categories, const FeatureScaling& scaling);

/// The bins between the edges of each number. A value x is in the bin with the number of those `inner` edges that are
/// at most x, and at the place t = (x - lower) / width of it, limited to [0, 1]: 0 below the first edge and 1 above the
/// last one. The values of the hat functions (linear splines) are then 1 - t at the bin's lower edge, t at its upper
/// edge, and 0 at all others. With a single edge t is 0.
template <class Value>
struct FeatureBins {
  std::vector<Value> inner;  ///< [numbers, max_bins - 1]; infinity after the last one
  std::vector<Value> lower;  ///< [numbers, max_bins]; infinity after the last bin
  std::vector<Value> width;  ///< [numbers, max_bins]; 1 after the last bin
};

/// The bins between the edges of feature_edges(). Widths are computed in `Value`, float or double.
template <class Value>
FeatureBins<Value> feature_bins(const std::vector<float>& edges);

}  // namespace sheaf
