// Which studies can have an ensemble of their trials (search.ensemble). Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace sheaf {

struct Study;

/// Why an ensemble of trials cannot be selected, and what to do.
struct EnsembleObstacle {
  std::string key;     ///< that causes it
  std::string reason;  ///< "run.models = none"
  std::string advice;  ///< "Set run.models = best"

  /// "search.ensemble = greedy is not possible (run.models = none). Set run.models = best, or search.ensemble = none."
  std::string sentence() const;
};

/// The first obstacle to an ensemble of the trials of a study; nothing if there is none. Values that are not settled
/// are none.
std::optional<EnsembleObstacle> ensemble_obstacle(const Study& study);

}  // namespace sheaf
