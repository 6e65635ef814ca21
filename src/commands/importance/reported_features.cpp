// SPDX-License-Identifier: MIT
#include "commands/importance/reported_features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "core/error.hpp"
#include "core/random/random_stream.hpp"

namespace sheaf {
namespace {

std::vector<ReportedFeature> features_of_columns(const std::vector<DataColumn>& columns) {
  std::vector<ReportedFeature> features;
  for (const DataColumn& column : columns) {
    const auto feature = static_cast<std::int64_t>(features.size());
    features.push_back(
        {column.name.empty() ? fmt::format("feature {}", feature) : column.name, {feature, feature + 1}});
  }
  return features;
}

std::vector<ReportedFeature> features_of_channels(std::int64_t channels, std::int64_t pixels) {
  std::vector<ReportedFeature> features;
  for (std::int64_t channel = 0; channel < channels; ++channel)
    features.push_back({fmt::format("channel {}", channel), {channel * pixels, (channel + 1) * pixels}});
  return features;
}

}  // namespace

std::vector<ReportedFeature> reported_features(const std::vector<std::int64_t>& row_shape,
                                               const std::vector<DataColumn>& columns, const std::string& data) {
  if (row_shape.size() == 1) return features_of_columns(columns);
  require(row_shape.size() == 3 && row_shape[0] > 1, [&] {
    return fmt::format(
        "The importance of features needs columns, or images with several channels (rows of '{}' have the shape {}, "
        "and a single pixel has little information, because its neighbors are similar). Use other data.",
        data, fmt::join(row_shape, "x"));
  });
  return features_of_channels(row_shape[0], row_shape[1] * row_shape[2]);
}

std::vector<std::int64_t> permutation(std::int64_t rows, std::uint64_t seed, std::int64_t feature,
                                      std::int64_t repeat) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream stream(seed, Purpose::permuted_features,
                      static_cast<std::uint64_t>(feature) << 32U | static_cast<std::uint64_t>(repeat));
  shuffle(order.data(), rows, stream);
  return order;
}

}  // namespace sheaf
