// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluated_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "core/error.hpp"

namespace sheaf {

std::int64_t EvaluatedRows::feature_count() const {
  return std::accumulate(row_shape().begin(), row_shape().end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t fill_rows(const float* features, std::int64_t rows, std::int64_t width, const EmptyCellFills& fills,
                       std::int64_t first_row, const std::string& data, AlignedVector<float>& filled) {
  filled.assign(features, features + rows * width);
  std::int64_t count = 0;
  for (std::int64_t index = 0; index < rows * width; ++index) {
    float& value = filled[static_cast<std::size_t>(index)];
    if (!std::isnan(value)) continue;
    const auto feature = static_cast<std::size_t>(index % width);
    if (feature < fills.taken.size() && fills.taken[feature]) continue;
    value = feature < fills.values.size() ? fills.values[feature] : value;
    require(!std::isnan(value), [&] {
      const std::string reason = fills.model.empty()
                                     ? "a model that was not saved by sheaf has no values for empty cells"
                                     : fills.model + " has no value for empty cells of this column";
      return fmt::format("{} has an empty cell (NaN) in row {}, column {} ({}). Fill it, or leave out the row.", data,
                         first_row + index / width, feature, reason);
    });
    ++count;
  }
  return count;
}

void FilledRows::clear() {
  fills_ = nullptr;
  empty_here_ = 0;
}

const float* FilledRows::of(const float* features, std::int64_t rows, std::int64_t width, const EmptyCellFills& fills,
                            std::int64_t first_row, const std::string& data) {
  if (fills_ != &fills) {
    const bool is_counted = fills_ != nullptr;
    empty_here_ = fill_rows(features, rows, width, fills, first_row, data, filled_);
    if (!is_counted) empty_cells_ += empty_here_;
    fills_ = &fills;
  }
  return empty_here_ > 0 ? filled_.data() : nullptr;
}

}  // namespace sheaf
