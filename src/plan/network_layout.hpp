// A network as a list of layers with their shapes: what initialisation, estimates and engines agree on. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "options/study.hpp"

namespace sheaf {

/// One layer with parameters, and what follows it. Weights are row-major, as in PyTorch: [outputs, inputs] for a dense
/// layer, [outputs, inputs, kernel, kernel] for a convolution (inputs, outputs: channels), [outputs] for a batch norm.
/// A forward pass takes the layers in order: the layer itself, the end of its residual block, activation, pooling.
struct Layer {
  enum class Kind { dense, convolution, batch_norm };
  enum class Pooling { none, halve, overlap, average };  ///< largest of 2 x 2; of 3 x 3 by twos; mean of the image
  Kind kind = Kind::dense;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;  ///< side of the kernel, odd; padding kernel / 2
  std::int64_t height = 1;  ///< of the input image
  std::int64_t width = 1;
  bool bias = true;
  bool activated = true;  ///< an activation follows, and after a dense layer dropout
  std::int64_t stride = 1;
  Pooling pooling = Pooling::none;
  bool begins_block = false;  ///< its input is kept as the shortcut of a residual block
  bool on_shortcut = false;   ///< it takes and leaves the shortcut in the place of the values
  bool ends_block = false;    ///< the shortcut is added to the values

  std::int64_t fan_in() const { return inputs * kernel * kernel; }
  std::int64_t fan_out() const { return outputs * kernel * kernel; }
  std::int64_t weight_count() const { return kind == Kind::batch_norm ? outputs : outputs * fan_in(); }
  std::int64_t bias_count() const { return bias ? outputs : 0; }
  std::int64_t output_height() const { return (height - 1) / stride + 1; }
  std::int64_t output_width() const { return (width - 1) / stride + 1; }
  std::int64_t output_count() const { return outputs * output_height() * output_width(); }  ///< before any pooling
  std::int64_t multiply_adds_per_row() const {  ///< of products: what is done value by value does not count
    return kind == Kind::batch_norm ? 0 : weight_count() * output_height() * output_width();
  }
};

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
/// channel count, then an mlp on the flattened rest. resnet18, resnet50: plan/resnet_layout.hpp.
/// Throws UsageError when one that needs images has none, or a cnn's pooling leaves nothing of it.
std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape);

/// All weights and biases.
std::int64_t parameter_count(const std::vector<Layer>& layers);

/// Multiply-adds of one row's forward pass.
std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers);

}  // namespace sheaf
