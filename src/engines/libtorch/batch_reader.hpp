// Batches for the torch engine: gathered from the shared rows by number, scaled, and in the form the loss takes.
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
#include "data/splits.hpp"

namespace sheaf {

/// A data set as tensors: on a CPU the shared bytes themselves, on a GPU a copy.
struct DataTensors {
  torch::Tensor features;  ///< [rows, features] float or uint8
  torch::Tensor targets;   ///< [rows] int64 labels, or [rows, outputs] float
  torch::Tensor weights;   ///< [rows] float; undefined: all 1
};

/// `data` must outlive the tensors.
DataTensors data_tensors(const DataSet& data, torch::Device device);

/// The same, one for all who hold it at a time: a GPU gets one copy of `data`, whose rows are in memory, however many
/// lanes train on it. Thread-safe.
std::shared_ptr<const DataTensors> shared_tensors(const DataSet& data, torch::Device device);

/// Where the features of `data` are in memory; null when they are not. Tells data sets apart.
const void* rows_of(const DataSet& data);

/// Copies tensors to a GPU, from pinned memory and on a stream of its own: beside what the GPU is computing. On a CPU
/// it does nothing.
class Uploader {
 public:
  explicit Uploader(torch::Device device);
  torch::Tensor operator()(const torch::Tensor& tensor) const;

  torch::Device device() const { return device_; }

 private:
  torch::Device device_;
  std::optional<c10::Stream> copies_;
};

struct Batch {
  torch::Tensor features;  ///< [rows, features]
  torch::Tensor targets;   ///< [rows] labels for cross_entropy, else [rows, outputs], one-hot for classes
  torch::Tensor weights;   ///< [rows], of the training losses; undefined: all 1
};

/// Reads batches of one data set in one scaling. Not shared between threads.
class BatchReader {
 public:
  /// `scaling` must outlive the reader. Batches are for `device`; tensors that are not there are gathered where they
  /// are, and go there block by block.
  BatchReader(const DataSet& data, DataTensors tensors, const FeatureScaling& scaling, LossKind loss,
              torch::ScalarType dtype, torch::Device device = torch::kCPU);

  /// Calls `use` with one batch after the other of the rows, in their order; the last may be short. Whether it was
  /// called with all: it ends them by returning false.
  bool read(const std::vector<std::int64_t>& rows, std::int64_t batch_size,
            const std::function<bool(const Batch&)>& use) const;

 private:
  torch::Tensor gather_features(const torch::Tensor& rows) const;
  torch::Tensor gather_targets(const torch::Tensor& rows) const;
  torch::Tensor gather_weights(const torch::Tensor& rows) const;

  DataTensors tensors_;
  torch::ScalarType dtype_;
  Uploader upload_;
  torch::Tensor shift_, scale_;  // undefined: features stay as they are
  torch::Tensor one_hot_;        // [classes, classes], row k is class k; undefined: targets stay as they are
};

}  // namespace sheaf
