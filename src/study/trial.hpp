// A point of the search space, and the iterations that train it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// One point of the search space; a study without a search has one.
struct Trial {
  std::vector<std::string> values;  ///< of the searched keys, in their order, in the canonical form
  ModelOptions model;
  TrainOptions train;
};

/// What an iteration trains: the key of its result. All indices count from 0.
struct IterationKey {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  std::int64_t repeat = 0;
  std::int64_t fold = 0;
  std::int64_t member = 0;
};

/// Iteration `number` of all stages.
struct Iteration : IterationKey {
  std::int64_t number = 0;
  std::uint64_t seed = 0;
};

}  // namespace sheaf
