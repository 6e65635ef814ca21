// A table with categories, made from numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "data/dataset.hpp"

namespace sheaf::test {

/// `data` whose features have these numbers of categories; 0: a number. Every fifth code is not known, so it has no
/// level; in every third feature it has one, that of empty cells.
inline DataSet with_categories(DataSet data, const std::vector<std::int64_t>& categories) {
  auto features = std::make_shared<std::vector<float>>(data.features, data.features + data.rows * data.feature_count);
  std::mt19937_64 random(7);
  for (std::size_t feature = 0; feature < categories.size(); ++feature) {
    const FeatureKind kind{categories[feature], categories[feature] > 0 && feature % 3 == 0};
    data.kinds.push_back(kind);
    if (!kind.is_category()) continue;
    for (std::size_t row = 0; row < static_cast<std::size_t>(data.rows); ++row) {
      const auto code = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kind.categories));
      (*features)[row * categories.size() + feature] = random() % 5 == 0 ? no_category : static_cast<float>(code);
    }
  }
  data.features = features->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, features);
  return data;
}

}  // namespace sheaf::test
