// Divides training rows into batches. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "study/train_options.hpp"

namespace sheaf {

/// The batch size for `rows` training rows (at least one). The last batch may be smaller.
inline std::int64_t batch_rows(const TrainOptions& train, std::int64_t rows) {
  return train.batch_size == 0 ? rows : std::min(train.batch_size, rows);
}

/// Whether an epoch is a single batch.
inline bool is_one_batch(const TrainOptions& train, std::int64_t rows) {
  return batch_rows(train, rows) == rows;
}

/// The number of batches in an epoch. Each batch is one optimizer step.
inline std::int64_t epoch_steps(const TrainOptions& train, std::int64_t rows) {
  const std::int64_t batch = batch_rows(train, rows);
  return (rows + batch - 1) / batch;
}

}  // namespace sheaf
