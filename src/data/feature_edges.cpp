// SPDX-License-Identifier: MIT
#include "data/feature_edges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/quantile.hpp"

namespace sheaf {
namespace {

// The scaled values of a feature. An empty cell whose value is not known is left out.
void scaled_values(const std::vector<float>& sample, std::size_t features, std::size_t feature,
                   const FeatureScaling& scaling, std::vector<float>& values) {
  values.clear();
  for (std::size_t index = feature; index < sample.size(); index += features) {
    const bool fills = std::isnan(sample[index]) && !scaling.fill.empty();
    const float value = fills ? scaling.fill[feature] : sample[index];
    if (!std::isnan(value)) values.push_back(scaled_value(scaling, feature, value));
  }
}

// Writes the edges of a feature. `values` are in ascending order.
void write_edges(const std::vector<float>& values, float* edges) {
  float* end = edges;
  for (std::int64_t number = 0; number < max_edges && !values.empty(); ++number) {
    const double fraction = static_cast<double>(number) / static_cast<double>(max_bins);
    const auto edge = static_cast<float>(quantile_of_sorted(values, fraction));
    if (end == edges || edge - end[-1] >= min_edge_distance) *end++ = edge;
  }
  std::fill(end, edges + max_edges, std::numeric_limits<float>::infinity());
}

// The features that are not among `categories` (ascending).
std::vector<std::int64_t> numbers_among(std::int64_t features, const std::vector<std::int64_t>& categories) {
  std::vector<std::int64_t> embedded;
  auto category = categories.begin();
  for (std::int64_t feature = 0; feature < features; ++feature)
    if (category != categories.end() && *category == feature)
      ++category;
    else
      embedded.push_back(feature);
  return embedded;
}

}  // namespace

std::vector<float> feature_edges(const std::vector<float>& sample, std::int64_t features,
                                 const std::vector<std::int64_t>& categories, const FeatureScaling& scaling) {
  const std::vector<std::int64_t> embedded = numbers_among(features, categories);
  std::vector<float> edges(embedded.size() * max_edges), values;
  for (std::size_t number = 0; number < embedded.size(); ++number) {
    scaled_values(sample, static_cast<std::size_t>(features), static_cast<std::size_t>(embedded[number]), scaling,
                  values);
    std::sort(values.begin(), values.end());
    write_edges(values, edges.data() + number * max_edges);
  }
  return edges;
}

template <class Value>
FeatureBins<Value> feature_bins(const std::vector<float>& edges) {
  constexpr Value infinity = std::numeric_limits<Value>::infinity();
  FeatureBins<Value> bins;
  for (std::size_t first = 0; first < edges.size(); first += max_edges)
    for (std::size_t edge = first; edge < first + max_bins; ++edge) {
      const bool exists = std::isfinite(edges[edge + 1]);
      if (edge > first) bins.inner.push_back(exists ? Value{edges[edge]} : infinity);
      bins.lower.push_back(exists ? Value{edges[edge]} : infinity);
      bins.width.push_back(exists ? Value{edges[edge + 1]} - Value{edges[edge]} : Value{1});
    }
  return bins;
}

template FeatureBins<float> feature_bins(const std::vector<float>& edges);
template FeatureBins<double> feature_bins(const std::vector<float>& edges);

}  // namespace sheaf
