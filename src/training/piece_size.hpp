// Training in pieces, between which a lane looks up: is it time for a checkpoint, is the job to stop? Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace sheaf {

/// When the job is to stop, what takes no longer than this is finished; everything else is left as a checkpoint.
constexpr double most_seconds_after_stop = 0.25;

/// Batches of a piece that takes a tenth of a second, or of a single one that takes longer; learnt as training goes on.
class PieceSize {
 public:
  std::int64_t batches() const { return batches_; }

  /// The last piece had `trained` batches and took `seconds`. Sizes grow in steps, since first batches are slow or, by
  /// a coarse clock, take no time at all.
  void learn(std::int64_t trained, double seconds) {
    const double fitting = static_cast<double>(trained) * piece_seconds / std::max(seconds, 1e-9);
    batches_ = static_cast<std::int64_t>(std::clamp(fitting, 1.0, 8.0 * static_cast<double>(batches_)));
  }

 private:
  static constexpr double piece_seconds = 0.1;
  std::int64_t batches_ = 1;
};

}  // namespace sheaf
