// SPDX-License-Identifier: MIT
#include "dataset/storage.hpp"

namespace sheaf {

Storage storage_of(std::int64_t rows, std::int64_t feature_count, Task task, std::int64_t target_columns) {
  constexpr std::size_t alignment = 64;
  const auto row_count = static_cast<std::size_t>(rows);
  const std::size_t feature_bytes = row_count * static_cast<std::size_t>(feature_count) * sizeof(float);
  Storage storage;
  storage.labels_offset = (feature_bytes + alignment - 1) / alignment * alignment;
  storage.bytes = storage.labels_offset + (task == Task::classification
                                               ? row_count * sizeof(std::int64_t)
                                               : row_count * static_cast<std::size_t>(target_columns) * sizeof(float));
  return storage;
}

StoredArrays arrays_in(std::byte* memory, const Storage& storage, Task task) {
  StoredArrays arrays;
  arrays.features = reinterpret_cast<float*>(memory);
  if (task == Task::classification)
    arrays.labels = reinterpret_cast<std::int64_t*>(memory + storage.labels_offset);
  else
    arrays.targets = reinterpret_cast<float*>(memory + storage.labels_offset);
  return arrays;
}

}  // namespace sheaf
