// A piece is a group of batches that a lane trains without interruption. Between pieces the lane checks whether a
// checkpoint is due and whether the job is stopping. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace sheaf {

/// When the job is stopping, work that takes no longer than this is finished. Other work is saved as a checkpoint.
constexpr double max_seconds_after_stop = 0.25;

/// The number of batches in a piece: as many as take a tenth of a second, at least one. Adapted during the training.
class PieceSize {
 public:
  std::int64_t batches() const { return batches_; }

  /// Adapts the size to the last piece, which had `trained` batches and took `seconds`. Limits the growth, because the
  /// first batches are slow, or seem to take no time if the clock is coarse.
  void update(std::int64_t trained, double seconds) {
    const double fitting = static_cast<double>(trained) * piece_seconds / std::max(seconds, 1e-9);
    batches_ = static_cast<std::int64_t>(std::clamp(fitting, 1.0, 8.0 * static_cast<double>(batches_)));
  }

 private:
  static constexpr double piece_seconds = 0.1;
  std::int64_t batches_ = 1;
};

}  // namespace sheaf
