// Describes a network as a list of layers with their shapes, for initialization, cost estimates and engines. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "models/layer.hpp"
#include "study/data_options.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// The properties of a data set that determine a network's shape.
struct DataShape {
  std::int64_t rows = 0;
  std::int64_t features = 0;               ///< per row, flattened
  std::int64_t outputs = 0;                ///< classes, or target columns
  ImageShape image;                        ///< shape of a row, if rows are images
  std::vector<std::int64_t> categories{};  ///< features of columns of texts, in ascending order
};

/// Whether the model is a network with a layout. The layers of TorchScript modules and plugins are not known, and
/// boosted trees have none.
bool has_layout(ModelKind kind);

/// The layers of `model` for rows of `shape`; empty without a layout.
///   linear              one dense layer
///   mlp                 for each hidden width: dense, norm if there is one, activation, dropout; then a dense layer
///   cnn                 for each channel count: convolution, batch norm if there is one, activation, 2 x 2 max
///                       pooling (rounding down); then an mlp on the flattened result
///   resnet18, resnet50  models/resnet_layout.hpp
/// With model.embedding, a linear model or an mlp begins with an embedding of the features that are not categories, if
/// there are any.
/// Layers before a batch norm have no bias, which the norm would cancel.
/// Throws UsageError if a network that needs images has no image shape, or if the images are too small for a cnn.
std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape);

/// Whether all layers work on rows of features, as dense layers, their norms and embeddings do, and not on images.
/// Saved models of such networks can be evaluated without LibTorch.
bool works_on_rows(const std::vector<Layer>& layers);

/// The shape of a layer's weight tensor.
std::vector<std::int64_t> weight_sizes(const Layer& layer);

/// The row of each embedded feature's first edge in the weights of an embedding, seen as [rows, embedding_width].
std::vector<std::int64_t> first_edge_rows(const Layer& embedding);

/// The number of weights and biases.
std::int64_t parameter_count(const std::vector<Layer>& layers);

/// The number of running means and variances.
std::int64_t buffer_count(const std::vector<Layer>& layers);

/// Multiply-adds of the forward pass of one row.
std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers);

}  // namespace sheaf
