// The rows of an iteration in the order in which an epoch trains them, for data in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/row_set.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Shuffled in every epoch; ascending without `train.shuffle`, and where an epoch is one batch without dropout, since
/// its order does not matter then. Not shared between threads.
class EpochRows {
 public:
  /// `rows` outlive it. Allocates; of() does not.
  EpochRows(const RowSet& rows, const TrainOptions& train, const ModelOptions& model, std::uint64_t iteration_seed);

  /// [rows.count()], until the next call.
  const std::int64_t* of(std::int64_t epoch);

  /// Every epoch is one batch of the same rows in the same order.
  bool repeat_one_batch() const { return is_fixed_ && is_one_batch_; }

 private:
  const RowSet& rows_;
  std::uint64_t seed_;
  bool is_one_batch_, is_fixed_;
  std::vector<std::int64_t> order_;
  std::int64_t epoch_ = -1;  // that `order_` is of
};

}  // namespace sheaf
