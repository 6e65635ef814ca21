// The best epoch of a training by a value of its validations, and early stopping. Source: EarlyStopping of Keras.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/bytes.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// Compares the monitored value (train.stop_on) of each epoch with the best one so far. A value improves if it is
/// better by more than `train.min_change`; one that is not finite does not. Of equal values, the first is best.
class BestEpoch {
 public:
  explicit BestEpoch(const TrainOptions& train);

  /// Whether the training compares its epochs.
  bool is_on() const { return patience_ > 0 || keeps_best_; }
  /// Whether results and the model are those of the best epoch instead of the last one.
  bool keeps_best() const { return keeps_best_; }

  /// Reports the value after the validation of an epoch, which counts from 0. Returns whether it is the best so far.
  bool add(std::int64_t epoch, double value);

  /// Nothing before the first finite value.
  std::optional<std::int64_t> epoch() const { return epoch_ < 0 ? std::nullopt : std::optional(epoch_); }
  /// Whether the last `train.patience` epochs brought no improvement.
  bool must_stop() const { return patience_ > 0 && waited_ >= patience_; }

  void save(ByteWriter& state) const;
  /// `epochs`: completed ones. Throws RunError or std::out_of_range if the state cannot be one of this training.
  void restore(ByteReader& state, std::int64_t epochs);

 private:
  std::int64_t patience_;
  double min_change_;
  bool larger_is_better_;
  bool keeps_best_;
  std::int64_t epoch_ = -1;
  double best_ = std::numeric_limits<double>::infinity();  // negated if larger values are better
  std::int64_t waited_ = 0;                                // epochs since the last improvement
};

}  // namespace sheaf
