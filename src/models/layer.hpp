// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Added to the variance of a layer norm: PyTorch's default.
inline constexpr double layer_norm_epsilon = 1e-5;

/// PyTorch's defaults of batch norms: added to the variance, and the share of a batch in the running statistics.
inline constexpr double batch_norm_epsilon = 1e-5;
inline constexpr double batch_norm_momentum = 0.1;

/// A layer with parameters, and the operations that follow it. Weights are row-major, as in PyTorch: [outputs, inputs]
/// for a dense layer, [outputs, inputs, kernel, kernel] for a convolution (inputs and outputs are channels), [outputs]
/// for a norm. The forward pass of a layer: the layer itself, addition of the shortcut, activation,
/// pooling, dropout.
struct Layer {
  enum class Kind { dense, convolution, batch_norm, layer_norm };
  /// halve: 2 x 2 max pooling; overlap: 3 x 3 max pooling with stride 2; average: mean of each channel.
  enum class Pooling { none, halve, overlap, average };
  Kind kind = Kind::dense;
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t kernel = 1;  ///< kernel size, odd; the padding is kernel / 2
  std::int64_t height = 1;  ///< height of the input image
  std::int64_t width = 1;   ///< width of the input image
  bool bias = true;
  bool activated = true;  ///< an activation follows
  std::int64_t stride = 1;
  Pooling pooling = Pooling::none;
  bool begins_block = false;  ///< its input is also the shortcut of a residual block
  bool on_shortcut = false;   ///< it transforms the shortcut instead of the values
  bool ends_block = false;    ///< the shortcut is added to its output
  bool drops = false;         ///< dropout follows

  bool is_norm() const { return kind == Kind::batch_norm || kind == Kind::layer_norm; }
  std::int64_t fan_in() const { return inputs * kernel * kernel; }
  std::int64_t fan_out() const { return outputs * kernel * kernel; }
  std::int64_t weight_count() const { return is_norm() ? outputs : outputs * fan_in(); }
  std::int64_t bias_count() const { return bias ? outputs : 0; }
  std::int64_t output_height() const { return (height - 1) / stride + 1; }
  std::int64_t output_width() const { return (width - 1) / stride + 1; }
  std::int64_t output_count() const { return outputs * output_height() * output_width(); }  ///< before pooling
  /// Multiply-adds of dense layers and convolutions; a norm counts as 0.
  std::int64_t multiply_adds_per_row() const {
    return is_norm() ? 0 : weight_count() * output_height() * output_width();
  }
};

}  // namespace sheaf
