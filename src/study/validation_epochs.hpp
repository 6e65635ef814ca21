// After which epochs a training evaluates its validation rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "study/study.hpp"

namespace sheaf {

/// After each `every` epochs and after the last one; never where `every` is 0.
struct ValidationEpochs {
  static constexpr std::int64_t never = 0;
  static constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();  ///< after the last epoch alone

  std::int64_t every = never;

  bool any() const { return every != never; }
  /// Whether a validation follows when `done` of a training's `epochs` epochs are done.
  bool follows(std::int64_t done, std::int64_t epochs) const { return any() && (done == epochs || done % every == 0); }
};

/// Those of a study: none without validation rows, all for learning curves, otherwise the last.
inline ValidationEpochs validation_epochs(const Study& study) {
  if (study.search.folds <= 1 && study.data.validation <= 0) return {ValidationEpochs::never};
  return {study.run.curves ? 1 : ValidationEpochs::last};
}

}  // namespace sheaf
