// The order of an iteration's training rows in each epoch, for data in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/row_set.hpp"
#include "study/model_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// Rows are shuffled in every epoch. Without `train.shuffle` they are ascending. They are also ascending if an epoch is
/// a single batch without dropout, because the order then has no effect. Not shared between threads.
class EpochRows {
 public:
  /// `rows` must outlive the object. Allocates memory; of() does not.
  EpochRows(const RowSet& rows, const TrainOptions& train, const ModelOptions& model, std::uint64_t iteration_seed);

  /// The rows of an epoch in training order, [rows.count()]. Valid until the next call.
  const std::int64_t* of(std::int64_t epoch);

  /// Whether every epoch is one batch of the same rows in the same order.
  bool repeat_one_batch() const { return is_fixed_ && is_one_batch_; }

 private:
  const RowSet& rows_;
  std::uint64_t seed_;
  bool is_one_batch_, is_fixed_;
  std::vector<std::int64_t> order_;
  std::int64_t epoch_ = -1;  // the epoch of `order_`
};

}  // namespace sheaf
