// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// The use of a random stream. Results depend on the values: never renumber them.
enum class Purpose : std::uint32_t {
  iteration_seed = 1,
  initial_weights = 2,
  batch_order = 3,
  dropout = 4,
  bootstrap = 5,
  folds = 6,
  holdout = 7,
  synthetic_features = 8,
  synthetic_targets = 9,
  block_order = 10,
  window_order = 11,
  sampled_rows = 12,
  drawn_value = 13,
  combination_order = 14,
  test_rows = 15,
  stopping_rows = 16,
  tpe_candidates = 17,
  race_order = 18,
  ensemble_rows = 19,
  verified_iterations = 20,
  permuted_features = 21,
};

}  // namespace sheaf
