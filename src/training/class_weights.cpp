// SPDX-License-Identifier: MIT
#include "training/class_weights.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sheaf {

std::vector<double> class_weights(const TrainOptions& train, const DataSet& data, const RowSet& rows) {
  if (train.class_weights == ClassWeights::none || data.labels == nullptr) return {};
  std::vector<std::int64_t> counts(static_cast<std::size_t>(data.output_count), 0);
  rows.for_each([&](std::int64_t row) { ++counts[static_cast<std::size_t>(data.labels[row])]; });
  const auto classes = static_cast<double>(counts.size()) -
                       static_cast<double>(std::count(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<double> weights;
  weights.reserve(counts.size());
  for (const std::int64_t count : counts)
    weights.push_back(count == 0 ? 0 : static_cast<double>(rows.count()) / (classes * static_cast<double>(count)));
  return weights;
}

}  // namespace sheaf
