// Describes a network as a list of layers with their shapes, for initialization, cost estimates and engines. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/feature_scaling.hpp"
#include "models/layer.hpp"
#include "study/data_options.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// The properties of a data set that determine a network's shape.
struct DataShape {
  std::int64_t rows = 0;
  std::int64_t features = 0;         ///< per row, flattened
  std::int64_t outputs = 0;          ///< classes, or target columns
  ImageShape image;                  ///< shape of a row, if rows are images
  std::vector<FeatureKind> kinds{};  ///< [features]; empty: all are numbers
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
/// A linear model or an mlp begins with an encoding, if there are categories, numbers that may be empty, or numbers
/// with model.embedding. Layers before a batch norm have no bias, which the norm would cancel. Throws UsageError if a
/// network that needs images has no image shape, or if the images are too small for a cnn.
std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape);

/// Whether all layers work on rows of features, as dense layers, their norms and encodings do, and not on images.
/// Saved models of such networks can be evaluated without LibTorch.
bool works_on_rows(const std::vector<Layer>& layers);

/// The shape of a layer's weight tensor.
std::vector<std::int64_t> weight_sizes(const Layer& layer);

/// The features of an encoding as lists, for engines that compute with tensors. Others are numbers and one-hot encoded
/// codes, with one entry for each output.
struct EncodingColumns {
  std::vector<std::int64_t> piecewise_features, piecewise_rows;  ///< rows of the factors w in the weights
  std::vector<std::int64_t> lookup_features, lookup_rows;        ///< rows of the code 0 in the weights
  std::vector<std::int64_t> other_features;
  std::vector<float> levels;  ///< the code for which an output is 1; NaN: the output is the feature
  std::vector<std::int64_t> empty_features;
};

EncodingColumns encoding_columns(const Layer& encoding);

/// Whether the network has an input for the empty cells of each feature, which must then stay NaN; empty: of none.
std::vector<bool> features_that_may_be_empty(const std::vector<Layer>& layers);

/// The scaling for a network: values for empty cells for which it has an input are `replacements`.
FeatureScaling scaling_for(const std::vector<Layer>& layers, FeatureScaling scaling);

/// The number of weights and biases.
std::int64_t parameter_count(const std::vector<Layer>& layers);

/// The number of running means and variances.
std::int64_t buffer_count(const std::vector<Layer>& layers);

/// The inputs of layer `index`, of which a one-hot encoded feature counts as one: that of its level. The others are 0.
std::int64_t active_inputs(const std::vector<Layer>& layers, std::size_t index);

/// Multiply-adds of the forward pass of one row, without products with the 0 of one-hot encoded features.
std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers);

}  // namespace sheaf
