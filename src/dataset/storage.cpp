// SPDX-License-Identifier: MIT
#include "dataset/storage.hpp"

namespace sheaf {
namespace {

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

Storage storage_of(std::int64_t rows, std::int64_t feature_count, Task task, std::int64_t target_columns,
                   bool weighted) {
  const auto row_count = static_cast<std::size_t>(rows);
  const std::size_t feature_bytes = row_count * static_cast<std::size_t>(feature_count) * sizeof(float);
  Storage storage;
  storage.labels_offset = aligned(feature_bytes);
  storage.bytes = storage.labels_offset + (task == Task::classification
                                               ? row_count * sizeof(std::int64_t)
                                               : row_count * static_cast<std::size_t>(target_columns) * sizeof(float));
  if (weighted) {
    storage.weights_offset = aligned(storage.bytes);
    storage.bytes = storage.weights_offset + row_count * sizeof(float);
  }
  return storage;
}

StoredArrays arrays_in(std::byte* memory, const Storage& storage, Task task) {
  StoredArrays arrays;
  arrays.features = reinterpret_cast<float*>(memory);
  if (task == Task::classification)
    arrays.labels = reinterpret_cast<std::int64_t*>(memory + storage.labels_offset);
  else
    arrays.targets = reinterpret_cast<float*>(memory + storage.labels_offset);
  if (storage.weights_offset > 0) arrays.weights = reinterpret_cast<float*>(memory + storage.weights_offset);
  return arrays;
}

}  // namespace sheaf
