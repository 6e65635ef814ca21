// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "data/feature_edges.hpp"
#include "data/feature_kind.hpp"

namespace sheaf {

/// Added to the variance of a layer norm: PyTorch's default.
inline constexpr double layer_norm_epsilon = 1e-5;

/// PyTorch's defaults of batch norms: added to the variance, and the share of a batch in the running statistics.
inline constexpr double batch_norm_epsilon = 1e-5;
inline constexpr double batch_norm_momentum = 0.1;

/// How an encoding turns a feature x into inputs of a network:
///   number     x itself; if it is NaN and may_be_empty, FeatureScaling::replacements
///   empty      1 if x is NaN, otherwise 0
///   one_hot    one output for each level, 1 for the level of the code x and 0 for the others
///   lookup     the row of the weights that belongs to the level of the code x
///   piecewise  w x + b + sum over e of h_e(x) m_e, with x as for a number: h are the hat functions of the edges of the
///              feature (data/feature_edges), of which at most two are not 0. Its rows of the weights are w, then the
///              m_e of all edges; features with fewer edges do not use the last ones. Source: version B of the
///              piecewise linear embeddings of rtdl_num_embeddings (Gorishniy et al., "On Embeddings for Numerical
///              Features in Tabular Deep Learning", NeurIPS 2022), in the basis of hat functions
/// The level of a code is code - first_code. With one_hot, a code below first_code is 0 in all outputs.
struct EncodedFeature {
  enum class Use { number, one_hot, lookup, piecewise, empty };
  std::int64_t feature = 0;
  Use use = Use::number;
  std::int64_t levels = 0;  ///< of codes
  std::int64_t first_code = 0;
  bool has_unknown_level = false;  ///< lookup: the first level is that of unknown texts only; its weights begin as 0
  std::int64_t first_output = 0;
  std::int64_t first_row = 0;  ///< of the weights
  bool may_be_empty = false;   ///< number, piecewise: another entry with Use::empty has the same feature

  std::int64_t outputs() const {
    if (use == Use::number || use == Use::empty) return 1;
    return use == Use::one_hot ? levels : embedding_width;
  }
  std::int64_t weight_rows() const {
    if (use == Use::piecewise) return 1 + max_edges;
    return use == Use::lookup ? levels : 0;
  }
};

inline bool operator==(const EncodedFeature& a, const EncodedFeature& b) {
  const auto members = [](const EncodedFeature& of) {
    return std::tie(of.feature, of.use, of.levels, of.first_code, of.has_unknown_level, of.first_output, of.first_row,
                    of.may_be_empty);
  };
  return members(a) == members(b);
}

/// A layer with parameters, and the operations that follow it. Weights are row-major, as in PyTorch: [outputs, inputs]
/// for a dense layer, [outputs, inputs, kernel, kernel] for a convolution (inputs and outputs are channels), [outputs]
/// for a norm. The forward pass of a layer: the layer itself, addition of the shortcut, activation,
/// pooling, dropout.
///
/// An encoding turns the features of a row into the inputs of the next layer (EncodedFeature). Its weights are
/// [weight_rows(), embedding_width]; its biases, if it has some, are the b of the piecewise features.
struct Layer {
  enum class Kind { dense, convolution, batch_norm, layer_norm, encoding };
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
  bool begins_block = false;               ///< its input is also the shortcut of a residual block
  bool on_shortcut = false;                ///< it transforms the shortcut instead of the values
  bool ends_block = false;                 ///< the shortcut is added to its output
  bool drops = false;                      ///< dropout follows
  std::vector<EncodedFeature> features{};  ///< encoding: in the order of their outputs

  bool is_norm() const { return kind == Kind::batch_norm || kind == Kind::layer_norm; }
  bool is_encoding() const { return kind == Kind::encoding; }
  /// Encoding: the first entries of `features` are the piecewise ones, the next ones those that are looked up, and the
  /// last ones those with Use::empty.
  std::int64_t piecewise_count() const { return count_of(EncodedFeature::Use::piecewise); }
  std::int64_t lookup_count() const { return count_of(EncodedFeature::Use::lookup); }
  std::int64_t empty_count() const { return count_of(EncodedFeature::Use::empty); }
  std::int64_t weight_rows() const {
    return features.empty() ? 0 : features.back().first_row + features.back().weight_rows();
  }
  std::int64_t fan_in() const { return inputs * kernel * kernel; }
  std::int64_t fan_out() const { return outputs * kernel * kernel; }
  std::int64_t weight_count() const {
    if (is_encoding()) return weight_rows() * embedding_width;
    return is_norm() ? outputs : outputs * fan_in();
  }
  std::int64_t bias_count() const {
    if (!bias) return 0;
    return is_encoding() ? piecewise_count() * embedding_width : outputs;
  }
  std::int64_t output_height() const { return (height - 1) / stride + 1; }
  std::int64_t output_width() const { return (width - 1) / stride + 1; }
  std::int64_t output_count() const { return outputs * output_height() * output_width(); }  ///< before pooling
  /// Multiply-adds of dense layers, convolutions and encodings; a norm counts as 0.
  std::int64_t multiply_adds_per_row() const {
    if (is_encoding()) return (3 * piecewise_count() + lookup_count()) * embedding_width;
    return is_norm() ? 0 : weight_count() * output_height() * output_width();
  }

 private:
  std::int64_t count_of(EncodedFeature::Use use) const {
    return std::count_if(features.begin(), features.end(), [use](const EncodedFeature& one) { return one.use == use; });
  }
};

inline bool operator==(const Layer& a, const Layer& b) {
  // All members: a new one must be added here, otherwise this does not compile.
  const auto members = [](const Layer& of) {
    const auto& [kind, inputs, outputs, kernel, height, width, bias, activated, stride, pooling, begins_block,
                 on_shortcut, ends_block, drops, features] = of;
    return std::tie(kind, inputs, outputs, kernel, height, width, bias, activated, stride, pooling, begins_block,
                    on_shortcut, ends_block, drops, features);
  };
  return members(a) == members(b);
}

}  // namespace sheaf
