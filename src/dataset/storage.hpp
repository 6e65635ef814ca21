// How a data set lies in one piece of memory: its features, its labels or targets, its weights.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "dataset/dataset.hpp"

namespace sheaf {

/// Where a data set's arrays begin in its memory; each is 64-byte aligned when the memory is.
struct Storage {
  std::size_t labels_offset = 0;   ///< of the labels, or of the targets
  std::size_t weights_offset = 0;  ///< 0: there are none
  std::size_t bytes = 0;           ///< of all
};

/// The storage of `rows` rows with `target_columns` target columns (regression) or one label (classification), and a
/// weight each if they are `weighted`.
Storage storage_of(std::int64_t rows, std::int64_t feature_count, Task task, std::int64_t target_columns,
                   bool weighted = false);

/// The arrays inside `memory`, to be filled.
struct StoredArrays {
  float* features = nullptr;
  std::int64_t* labels = nullptr;  ///< classification only
  float* targets = nullptr;        ///< regression only
  float* weights = nullptr;        ///< weighted rows only
};
StoredArrays arrays_in(std::byte* memory, const Storage& storage, Task task);

}  // namespace sheaf
