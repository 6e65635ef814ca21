// How the rows that train are cut into batches. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "study/study.hpp"

namespace sheaf {

/// Rows of each batch but the last, which may have fewer, when `rows` rows train, at least one.
inline std::int64_t batch_rows(const TrainOptions& train, std::int64_t rows) {
  return train.batch_size == 0 ? rows : std::min(train.batch_size, rows);
}

/// An epoch is a single batch.
inline bool is_one_batch(const TrainOptions& train, std::int64_t rows) {
  return batch_rows(train, rows) == rows;
}

/// Batches of an epoch, each an optimizer step.
inline std::int64_t epoch_steps(const TrainOptions& train, std::int64_t rows) {
  const std::int64_t batch = batch_rows(train, rows);
  return (rows + batch - 1) / batch;
}

}  // namespace sheaf
