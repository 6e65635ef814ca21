// Reads batches for the torch engine: gathers rows by number, scales them and converts targets for the loss.
// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Stream.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "data/feature_scaling.hpp"
#include "data/target_scaling.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// A data set as tensors. On a CPU they are views of the data, on a GPU copies.
struct DataTensors {
  torch::Tensor features;  ///< [rows, features] float or uint8
  torch::Tensor targets;   ///< [rows] int64 labels, or [rows, outputs] float
  torch::Tensor weights;   ///< [rows] float; undefined: all 1
};

/// `data` must outlive the tensors.
DataTensors data_tensors(const DataSet& data, torch::Device device);

/// The same tensors, shared between callers: a GPU gets one copy of `data` for all lanes that train on it. The rows of
/// `data` must be in memory. Thread-safe.
std::shared_ptr<const DataTensors> shared_tensors(const DataSet& data, torch::Device device);

/// The address of the features of `data`; null if they are not in memory. Identifies the data set.
const void* rows_of(const DataSet& data);

/// Copies tensors to a GPU from pinned memory, on a separate stream, so that copies overlap with computation. Returns
/// the tensor unchanged if the device is a CPU.
class Uploader {
 public:
  explicit Uploader(torch::Device device);
  torch::Tensor operator()(const torch::Tensor& tensor) const;

  torch::Device device() const { return device_; }

 private:
  torch::Device device_;
  std::optional<c10::Stream> copies_;
};

/// A FeatureScaling as tensors.
class ScalingTensors {
 public:
  /// `fills`: whether rows may have empty cells. On a CPU the tensors are views of the scaling.
  ScalingTensors(const FeatureScaling& scaling, bool fills, torch::Device device);

  /// For the models of several slots, which all scale and clip, or not: tensors [slots, 1, features], which set()
  /// fills.
  ScalingTensors(std::int64_t slots, std::int64_t features, bool scales, bool clips, bool fills, torch::Device device);
  void set(std::int64_t slot, const FeatureScaling& scaling);
  /// The same for the slots with these numbers, [count] int64.
  ScalingTensors of_slots(const torch::Tensor& slots) const;

  /// Scaled features, in float; changes `features` [rows, features], or [slots, rows, features], if they are float.
  torch::Tensor scaled(const torch::Tensor& features) const;

 private:
  torch::Tensor shift_, scale_;  // undefined: features are not scaled
  torch::Tensor clip_;           // undefined: they are not clipped
  torch::Tensor fill_;           // undefined: there are no empty cells
};

struct Batch {
  torch::Tensor features;  ///< [rows, features]
  torch::Tensor targets;   ///< [rows] labels for cross_entropy, else [rows, outputs], one-hot for classes
  torch::Tensor weights;   ///< [rows], factors of the training losses; undefined: all 1
};

/// Reads batches of one data set with one scaling. Not shared between threads.
class BatchReader {
 public:
  /// The scalings must outlive the reader. Batches are on `device`. If the tensors are on another device, rows are
  /// gathered there and copied to `device` block by block.
  BatchReader(const DataSet& data, DataTensors tensors, const FeatureScaling& scaling, const TargetScaling& targets,
              LossKind loss, torch::ScalarType dtype, torch::Device device = torch::kCPU);

  /// Calls `use` for each batch of the rows, in order; the last batch may be smaller. Stops if `use` returns false.
  /// Returns whether all batches were read.
  bool read(const std::vector<std::int64_t>& rows, std::int64_t batch_size,
            const std::function<bool(const Batch&)>& use) const;

 private:
  torch::Tensor gather_features(const torch::Tensor& rows) const;
  torch::Tensor gather_targets(const torch::Tensor& rows) const;
  torch::Tensor gather_weights(const torch::Tensor& rows) const;

  DataTensors tensors_;
  torch::ScalarType dtype_;
  Uploader upload_;
  ScalingTensors scaling_;
  torch::Tensor target_shift_, target_unit_;  // [outputs] float64; undefined: targets are not scaled
  torch::Tensor one_hot_;  // [classes, classes], row k is class k; undefined: targets are not converted
};

}  // namespace sheaf
