// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/feature_edges.hpp"

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
///
/// A piecewise embedding replaces each embedded input x by embedding_width outputs w x + b + sum over e of h_e(x) m_e:
/// h are the hat functions of the feature's edges (data/feature_edges), of which at most two are not 0. Its weights are
/// [embedded(), 1 + max_edges, embedding_width], w before the m_e of all edges; features with fewer edges do not use
/// the last ones. Inputs that it passes on follow the outputs of the others. Source: version B of the piecewise linear
/// embeddings of rtdl_num_embeddings (Gorishniy et al., "On Embeddings for Numerical Features in Tabular Deep
/// Learning", NeurIPS 2022), in the basis of hat functions.
struct Layer {
  enum class Kind { dense, convolution, batch_norm, layer_norm, piecewise_embedding };
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
  bool begins_block = false;           ///< its input is also the shortcut of a residual block
  bool on_shortcut = false;            ///< it transforms the shortcut instead of the values
  bool ends_block = false;             ///< the shortcut is added to its output
  bool drops = false;                  ///< dropout follows
  std::vector<std::int64_t> passed{};  ///< embedding: the inputs that it passes on, in ascending order

  bool is_norm() const { return kind == Kind::batch_norm || kind == Kind::layer_norm; }
  bool is_embedding() const { return kind == Kind::piecewise_embedding; }
  /// The inputs that an embedding does not pass on.
  std::int64_t embedded() const { return inputs - static_cast<std::int64_t>(passed.size()); }
  std::int64_t fan_in() const { return inputs * kernel * kernel; }
  std::int64_t fan_out() const { return outputs * kernel * kernel; }
  std::int64_t weight_count() const {
    if (is_embedding()) return embedded() * (1 + max_edges) * embedding_width;
    return is_norm() ? outputs : outputs * fan_in();
  }
  std::int64_t bias_count() const {
    if (!bias) return 0;
    return is_embedding() ? embedded() * embedding_width : outputs;
  }
  std::int64_t output_height() const { return (height - 1) / stride + 1; }
  std::int64_t output_width() const { return (width - 1) / stride + 1; }
  std::int64_t output_count() const { return outputs * output_height() * output_width(); }  ///< before pooling
  /// Multiply-adds of dense layers, convolutions and embeddings; a norm counts as 0.
  std::int64_t multiply_adds_per_row() const {
    if (is_embedding()) return 3 * embedded() * embedding_width;
    return is_norm() ? 0 : weight_count() * output_height() * output_width();
  }
};

}  // namespace sheaf
