// The layout of a data set in one block of memory: features, then labels or targets, then weights.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/dataset.hpp"

namespace sheaf {

/// The contents of a row.
struct RowShape {
  std::int64_t feature_count = 0;
  bool byte_features = false;  ///< whether features are unsigned bytes instead of floats
  Task task = Task::regression;
  std::int64_t target_columns = 1;  ///< of `targets`; classification has one label
  bool weighted = false;
};

/// Bytes of a row's features.
std::int64_t feature_bytes(const RowShape& shape);

/// Offsets of a data set's arrays in its memory, in bytes. If the memory is 64-byte aligned, so is each array.
struct Storage {
  std::size_t labels_offset = 0;   ///< offset of the labels or targets
  std::size_t weights_offset = 0;  ///< 0: no weights
  std::size_t bytes = 0;           ///< total size
};
Storage storage_of(std::int64_t rows, const RowShape& shape);

/// Writable pointers to the arrays in `memory`.
struct StoredArrays {
  std::byte* features = nullptr;
  std::int64_t* labels = nullptr;  ///< classification only
  float* targets = nullptr;        ///< regression and multilabel
  float* weights = nullptr;        ///< weighted rows only
};
StoredArrays arrays_in(std::byte* memory, const Storage& storage, Task task);

/// Sets the features of `data`, as bytes or floats according to `shape`.
void attach_features(const std::byte* features, const RowShape& shape, DataSet& data);

/// Sets all arrays of `data`.
void attach(const StoredArrays& arrays, const RowShape& shape, DataSet& data);

}  // namespace sheaf
