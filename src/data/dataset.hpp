// A data set in memory: rows of float features with their targets. Read-only views: many lanes and ranks of a node
// look at the same bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "study/study.hpp"

namespace sheaf {

/// What its bytes belong to (a node's shared memory, a vector) lives as long as `owner`.
struct DataSet {
  std::int64_t rows = 0;
  std::int64_t feature_count = 0;  ///< per row, flattened
  std::int64_t output_count = 0;   ///< classes (classification) or target columns (regression)
  Task task = Task::regression;
  ImageShape image;  ///< of a row, if the file says so
  const float* features =
      nullptr;  ///< [rows, feature_count], row-major, finite, 64-byte aligned; images channels first
  const std::uint8_t* byte_features = nullptr;  ///< the same of files of unsigned bytes; then `features` is null
  const std::int64_t* labels = nullptr;         ///< [rows], each in 0..output_count-1; classification only
  const float* targets = nullptr;               ///< [rows, output_count], finite; regression only
  const float* weights = nullptr;               ///< [rows], finite, >= 0: of each row's loss; null: all 1
  std::string fingerprint;                      ///< identifies the content: file, size and time, or the synthetic draw
  std::shared_ptr<void> owner;
};

}  // namespace sheaf
