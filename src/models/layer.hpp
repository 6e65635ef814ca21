// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// One layer with parameters, and the operations after it. Weights are row-major, as in PyTorch: [outputs, inputs] for
/// a dense layer, [outputs, inputs, kernel, kernel] for a convolution (inputs, outputs: channels), [outputs] for a
/// batch norm. A forward pass takes the layers in order: the layer itself, the end of its residual block, activation,
/// pooling.
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
  std::int64_t multiply_adds_per_row() const {                                              ///< of products only
    return kind == Kind::batch_norm ? 0 : weight_count() * output_height() * output_width();
  }
};

}  // namespace sheaf
