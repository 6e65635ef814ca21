// SPDX-License-Identifier: MIT
#include "commands/train/finish/no_finished_iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sheaf {
namespace {

// Trainings rarely diverge because of features below this value.
constexpr double large_feature = 10;

template <class T>
double largest_absolute(const T* values, std::int64_t count) {
  double largest = 0;
  for (std::int64_t index = 0; index < count; ++index)
    largest = std::max(largest, std::abs(static_cast<double>(values[index])));
  return largest;
}

// "all 2 diverged", or "all 2 failed, iteration 0: out of memory", or "1 diverged, 1 failed, iteration 1: ..."
std::string outcomes(const RunResults& results) {
  if (results.failed == 0) return fmt::format("all {} diverged, their loss is not finite", results.diverged);
  const std::string first = fmt::format("iteration {}: {}", results.first_failed, results.first_failure);
  if (results.diverged == 0) return fmt::format("all {} failed, {}", results.failed, first);
  return fmt::format("{} diverged, {} failed, {}", results.diverged, results.failed, first);
}

std::string advice_on_divergence(const Study& study, std::optional<double> largest) {
  if (study.data.source == DataSource::file && study.data.normalize == Normalize::none) {
    if (!largest) return "Set data.normalize = standard, or lower train.learning_rate.";
    if (*largest >= large_feature)
      return fmt::format("The features are not scaled, with values up to {:.3g}: set data.normalize = standard.",
                         *largest);
  }
  return "Lower train.learning_rate.";
}

}  // namespace

std::optional<double> largest_feature(const DataSet* data) {
  if (data == nullptr) return std::nullopt;
  const std::int64_t count = data->rows * data->feature_count;
  if (data->byte_features != nullptr) return largest_absolute(data->byte_features, count);
  if (data->features != nullptr) return largest_absolute(data->features, count);
  return std::nullopt;
}

std::string no_finished_iteration_text(const Study& study, const RunResults& results, std::optional<double> largest) {
  return fmt::format("no iteration finished ({}). {}", outcomes(results),
                     results.failed > 0 ? "Correct the cause, then continue with sheaf resume."
                                        : advice_on_divergence(study, largest));
}

}  // namespace sheaf
