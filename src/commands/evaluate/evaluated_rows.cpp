// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluated_rows.hpp"

#include <functional>
#include <numeric>

namespace sheaf {

std::int64_t EvaluatedRows::feature_count() const {
  return std::accumulate(row_shape().begin(), row_shape().end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace sheaf
