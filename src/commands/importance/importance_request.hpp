// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "commands/evaluate/evaluation_request.hpp"
#include "study/metrics.hpp"

namespace sheaf {

/// The options of a computation of importances.
struct ImportanceRequest {
  EvaluationRequest evaluation;  ///< models, data and devices
  /// A metric, or none for the loss. Not set: the metric of the run or, for a model file, of the task and the loss.
  std::optional<std::optional<MetricChoice>> metric;
  std::int64_t repeats = 5;          ///< permutations of each feature
  std::uint64_t seed = 0;            ///< of permutations and drawn rows
  std::optional<std::int64_t> rows;  ///< so many rows, drawn at random; none: all
  bool save = false;                 ///< into the run directory
};

enum class ImportanceFormat { text, csv, json };

struct ImportanceArguments {
  ImportanceRequest request;
  ImportanceFormat format = ImportanceFormat::text;
};

}  // namespace sheaf
