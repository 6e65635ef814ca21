// A network as a list of layers with their shapes: what initialisation, estimates and engines agree on. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "options/study.hpp"

namespace sheaf {

/// One layer with parameters. Weights are row-major, as in PyTorch: [outputs, inputs] for a dense layer,
/// [outputs, inputs, kernel, kernel] for a convolution (inputs, outputs: channels).
struct Layer {
  enum class Kind { dense, convolution };
  Kind kind = Kind::dense;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;  ///< side of the kernel; stride 1, padding kernel / 2
  std::int64_t height = 1;  ///< of the input image
  std::int64_t width = 1;
  bool bias = true;
  bool last = false;  ///< no activation, dropout or pooling follows

  std::int64_t fan_in() const { return inputs * kernel * kernel; }
  std::int64_t fan_out() const { return outputs * kernel * kernel; }
  std::int64_t weight_count() const { return outputs * fan_in(); }
  std::int64_t bias_count() const { return bias ? outputs : 0; }
  std::int64_t multiply_adds_per_row() const { return weight_count() * height * width; }
};

/// What a data set means for a network.
struct DataShape {
  std::int64_t rows = 0;
  std::int64_t features = 0;  ///< per row, flattened
  std::int64_t outputs = 0;   ///< classes, or target columns
  ImageShape image;           ///< of a row, if it is one
};

/// The layers of `model` for rows of `shape`. linear: one dense layer. mlp: dense + activation + dropout for each
/// hidden width, then a dense one. cnn: convolution + activation + 2 x 2 max pooling (floor) for each channel count,
/// then an mlp on the flattened rest. Throws UsageError when a cnn has no image or pooling leaves nothing of it.
std::vector<Layer> network_layout(const ModelOptions& model, const DataShape& shape);

/// All weights and biases.
std::int64_t parameter_count(const std::vector<Layer>& layers);

/// Multiply-adds of one row's forward pass.
std::int64_t multiply_adds_per_row(const std::vector<Layer>& layers);

}  // namespace sheaf
