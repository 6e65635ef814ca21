// How a data set lies in one piece of memory: its features, its labels or targets, its weights.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/dataset.hpp"

namespace sheaf {

/// What a row takes.
struct RowShape {
  std::int64_t feature_count = 0;
  bool byte_features = false;  ///< one byte each, else float
  Task task = Task::regression;
  std::int64_t target_columns = 1;  ///< regression; classification has one label
  bool weighted = false;
};

/// Bytes of a row's features.
std::int64_t feature_bytes(const RowShape& shape);

/// Where a data set's arrays begin in its memory; each is 64-byte aligned when the memory is.
struct Storage {
  std::size_t labels_offset = 0;   ///< of the labels, or of the targets
  std::size_t weights_offset = 0;  ///< 0: there are none
  std::size_t bytes = 0;           ///< of all
};
Storage storage_of(std::int64_t rows, const RowShape& shape);

/// The arrays inside `memory`, to be filled.
struct StoredArrays {
  std::byte* features = nullptr;
  std::int64_t* labels = nullptr;  ///< classification only
  float* targets = nullptr;        ///< regression only
  float* weights = nullptr;        ///< weighted rows only
};
StoredArrays arrays_in(std::byte* memory, const Storage& storage, Task task);

/// Points `data` to features of the shape's kind.
void attach_features(const std::byte* features, const RowShape& shape, DataSet& data);

/// Points `data` to the arrays.
void attach(const StoredArrays& arrays, const RowShape& shape, DataSet& data);

}  // namespace sheaf
