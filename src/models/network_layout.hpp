// A network as a list of layers with their shapes: what initialization, estimates and engines agree on. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "models/layer.hpp"
#include "study/study.hpp"

namespace sheaf {

/// What a data set means for a network.
struct DataShape {
  std::int64_t rows = 0;
  std::int64_t features = 0;  ///< per row, flattened
  std::int64_t outputs = 0;   ///< classes, or target columns
  ImageShape image;           ///< of a row, if it is one
};

/// Whether the network is a list of layers: a TorchScript module or a plugin keeps its layers to itself.
bool has_layout(ModelKind kind);

/// The layers of `model` for rows of `shape`; none without a layout. linear: one dense layer. mlp: dense + activation +
/// dropout for each hidden width, then a dense one. cnn: convolution + activation + 2 x 2 max pooling (floor) for each
/// channel count, then an mlp on the flattened rest. resnet18, resnet50: models/resnet_layout.hpp.
/// Throws UsageError when one that needs images has none, or a cnn's pooling leaves nothing of it.
std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape);

/// All weights and biases.
std::int64_t parameter_count(const std::vector<Layer>& layers);

/// Multiply-adds of one row's forward pass.
std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers);

}  // namespace sheaf
