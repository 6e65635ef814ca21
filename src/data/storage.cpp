// SPDX-License-Identifier: MIT
#include "data/storage.hpp"

namespace sheaf {
namespace {

std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

std::int64_t feature_bytes(const RowShape& shape) {
  return shape.feature_count * static_cast<std::int64_t>(shape.byte_features ? 1 : sizeof(float));
}

Storage storage_of(std::int64_t rows, const RowShape& shape) {
  const auto row_count = static_cast<std::size_t>(rows);
  Storage storage;
  storage.labels_offset = aligned(row_count * static_cast<std::size_t>(feature_bytes(shape)));
  storage.bytes =
      storage.labels_offset + (shape.task == Task::classification
                                   ? row_count * sizeof(std::int64_t)
                                   : row_count * static_cast<std::size_t>(shape.target_columns) * sizeof(float));
  if (shape.weighted) {
    storage.weights_offset = aligned(storage.bytes);
    storage.bytes = storage.weights_offset + row_count * sizeof(float);
  }
  return storage;
}

StoredArrays arrays_in(std::byte* memory, const Storage& storage, Task task) {
  StoredArrays arrays;
  arrays.features = memory;
  if (task == Task::classification)
    arrays.labels = reinterpret_cast<std::int64_t*>(memory + storage.labels_offset);
  else
    arrays.targets = reinterpret_cast<float*>(memory + storage.labels_offset);
  if (storage.weights_offset > 0) arrays.weights = reinterpret_cast<float*>(memory + storage.weights_offset);
  return arrays;
}

void attach_features(const std::byte* features, const RowShape& shape, DataSet& data) {
  if (shape.byte_features)
    data.byte_features = reinterpret_cast<const std::uint8_t*>(features);
  else
    data.features = reinterpret_cast<const float*>(features);
}

void attach(const StoredArrays& arrays, const RowShape& shape, DataSet& data) {
  attach_features(arrays.features, shape, data);
  data.labels = arrays.labels;
  data.targets = arrays.targets;
  data.weights = arrays.weights;
}

}  // namespace sheaf
