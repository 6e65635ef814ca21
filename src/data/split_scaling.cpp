// SPDX-License-Identifier: MIT
#include "data/split_scaling.hpp"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <optional>

#include "data/feature_edges.hpp"
#include "data/row_moments.hpp"
#include "data/row_sample.hpp"

namespace sheaf {
namespace {

template <class Value>
std::vector<float> sample_from(const Value* values, std::int64_t features, const RowSet& rows,
                               const std::vector<std::int64_t>& sampled) {
  std::vector<float> sample;
  for_each_sampled(sampled, rows, [&](std::size_t place) {
    const Value* row = values + sampled[place] * features;
    sample.insert(sample.end(), row, row + features);
  });
  return sample;
}

template <class Value>
FeatureScaling scaling_from(const Value* values, const DataSet& data, const RowSet& rows, ScalingKind kind,
                            const std::vector<std::int64_t>& sampled) {
  const StatisticsNeeds needs(data.fills.get(), kind);
  std::vector<float> sample;
  if (needs.sample) sample = sample_from(values, data.feature_count, rows, sampled);
  std::optional<FeatureMoments> moments;
  if (needs.moments) moments = moments_of(values, data.feature_count, rows);
  return feature_scaling(data.fills.get(), moments ? &*moments : nullptr, sample, kind, data.feature_count,
                         category_features(data.kinds));
}

// Scaling and fill values.
FeatureScaling filled_scaling(const FeatureFills* fills, const FeatureMoments* moments,
                              const std::vector<float>& sample, Normalize normalize) {
  FeatureScaling scaling;
  if (normalize != Normalize::none) scaling = feature_scaling(*moments, sample, normalize);
  if (fills == nullptr) {
    scaling.fill.clear();
    return scaling;
  }
  FeatureFills with_medians = *fills;
  for (std::size_t feature = 0; feature < scaling.fill.size(); ++feature)
    if (fills->is_number[feature] && fills->rules[feature] == FillRule::median && std::isnan(fills->known[feature]))
      with_medians.known[feature] = scaling.fill[feature];
  scaling.fill = fill_values(with_medians, moments, sample);
  return scaling;
}

void leave_unscaled(const std::vector<std::int64_t>& features, FeatureScaling& scaling) {
  for (const std::int64_t feature : features) {
    const auto index = static_cast<std::size_t>(feature);
    scaling.shift[index] = 0;
    scaling.scale[index] = 1;
    if (!scaling.clip.empty()) scaling.clip[index] = 0;
  }
}

}  // namespace

StatisticsNeeds::StatisticsNeeds(const FeatureFills* fills, ScalingKind kind)
    : moments(kind.normalize != Normalize::none || (fills != nullptr && fills->uses(FillRule::mean))),
      sample(kind.normalize == Normalize::robust || kind.embedding != Embedding::none ||
             (fills != nullptr && fills->uses(FillRule::median))) {}

FeatureScaling feature_scaling(const FeatureFills* fills, const FeatureMoments* moments,
                               const std::vector<float>& sample, ScalingKind kind, std::int64_t features,
                               const std::vector<std::int64_t>& categories) {
  FeatureScaling scaling = filled_scaling(fills, moments, sample, kind.normalize);
  if (!scaling.shift.empty()) leave_unscaled(categories, scaling);
  if (kind.embedding != Embedding::none) scaling.edges = feature_edges(sample, features, categories, scaling);
  return scaling;
}

FeatureScaling feature_scaling(const DataSet& data, const RowSet& rows, ScalingKind kind,
                               const std::vector<std::int64_t>& sampled) {
  if (data.features == nullptr && data.byte_features == nullptr) return {};
  if (kind.normalize == Normalize::none && kind.embedding == Embedding::none && data.fills == nullptr) return {};
  assert(!rows.empty());
  return data.features != nullptr ? scaling_from(data.features, data, rows, kind, sampled)
                                  : scaling_from(data.byte_features, data, rows, kind, sampled);
}

}  // namespace sheaf
