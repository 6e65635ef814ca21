// A whole epoch of a trainer at once.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "training/trainer.hpp"

namespace sheaf::test {

/// Trains the rest of the epoch and returns its loss.
inline double train_epoch(Trainer& trainer) {
  return trainer.train_batches(std::numeric_limits<std::int64_t>::max()).value();
}

}  // namespace sheaf::test
