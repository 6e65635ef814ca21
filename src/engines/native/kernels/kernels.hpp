// The vectorized loops of the native engine: tables of functions for the best instruction set of the machine.
// Activations are stored by columns, [columns, rows], or in row-major blocks (FeatureBlocks). The rows of a batch are
// padded to `row_count`, a multiple of `padding`. Arrays begin at cache lines. All functions are pure except for the
// arrays that they write. "=, or +=" means: adds to the result if `accumulate`, otherwise replaces it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "data/feature_edges.hpp"
#include "engines/native/kernels/feature_blocks.hpp"
#include "study/losses.hpp"
#include "study/model_options.hpp"
#include "study/train_options.hpp"
#include "training/losses/loss_kernels.hpp"

namespace sheaf {

/// The data set from which a batch is gathered.
struct RowSource {
  const float* features = nullptr;      ///< [rows, feature_count]
  const std::uint8_t* bytes = nullptr;  ///< the same if the features are bytes; `features` is then null
  std::int64_t feature_count = 0;
  const float* shift = nullptr;  ///< [feature_count]: value = (feature - shift) * scale; null: no scaling
  const float* scale = nullptr;
  const float* clip =
      nullptr;  ///< [feature_count]: value / sqrt(1 + (clip * value)^2) after scaling; null: no clipping
  const float* fill = nullptr;  ///< [feature_count]: replaces NaN before scaling; null: there is no NaN
};

/// Gathers rows and transposes matrices.
template <class Value>
struct MoveKernels {
  /// Gathers `count` > 0 rows, scaled in float, by columns and in row-major blocks with padding. `rows` may be null for
  /// the first rows. One of `blocks` and `columns` may be null if it is not needed. `row_count` is `count` rounded up
  /// to a multiple of `padding`; the additional rows are zero.
  void (*gather)(const RowSource& source, const std::int64_t* rows, std::int64_t count, std::int64_t row_count,
                 Value* blocks, Value* columns);
  /// to[column * to_stride + row] = from[row * from_stride + column]. `row_count` must be a multiple of `padding`,
  /// `column_count` at least 4.
  void (*transpose)(const Value* from, std::int64_t from_stride, std::int64_t row_count, std::int64_t column_count,
                    Value* to, std::int64_t to_stride);
};

/// Element-wise functions of hidden layers, and the products of narrow layers.
template <class Value>
struct ActivationKernels {
  /// values[c, r] = keep[c, r] * keep_scale * f(values[c, r] + bias[c]), and derivative[c, r] the same with f'. Null
  /// pointers mean: `bias` is zero, `keep` and `keep_scale` are not used, `derivative` is not needed.
  void (*activate)(Activation kind, const Value* bias, const float* keep, Value keep_scale, std::int64_t columns,
                   std::int64_t row_count, Value* values, Value* derivative);
  /// The same for a row-major block, [row_count, padded columns]. The padding of `values` becomes zero; that of
  /// `derivative` is undefined. `bias` is padded. Each row of `keep` [row_count, keep_stride] is read up to the end of
  /// the padding.
  void (*activate_rows)(Activation kind, const Value* bias, const float* keep, std::int64_t keep_stride,
                        Value keep_scale, std::int64_t columns, std::int64_t row_count, Value* values,
                        Value* derivative);
  /// gradients[c, r] *= derivative[c, r]; sums[c] =, or +=, the sum over r of the new gradients.
  void (*finish_gradient)(const Value* derivative, std::int64_t columns, std::int64_t row_count, bool accumulate,
                          Value* gradients, Value* sums);
  /// The same for a row-major block, [row_count, columns]; `columns` is a multiple of `padding`.
  void (*finish_gradient_rows)(const Value* derivative, std::int64_t columns, std::int64_t row_count, bool accumulate,
                               Value* gradients, Value* sums);
  /// The forward product of a layer that is too narrow for a fast matrix product: results[o, r] =, or +=, the sum over
  /// c of columns[c, r] * weights[o * weight_stride + c].
  void (*combine_columns)(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* weights,
                          std::int64_t weight_stride, std::int64_t output_count, bool accumulate, Value* results);
  /// The weight gradient of such a layer: sums[o * sum_stride + c] =, or +=, the sum over r of
  /// columns[c, r] * gradients[o, r].
  void (*dot_columns)(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* gradients,
                      std::int64_t output_count, bool accumulate, Value* sums, std::int64_t sum_stride);
};

/// The parameters of a layer norm.
template <class Value>
struct NormParameters {
  const Value* shift = nullptr;  ///< [features], padded: added to the values before; null: zero
  const Value* scale = nullptr;  ///< [features], padded
  Value epsilon = 0;             ///< added to the variance
};

/// Layer normalization: each row is normalized over its features. Rows are in row-major blocks, whose padding is zero,
/// or columns.
template <class Value>
struct NormKernels {
  /// values = scale * normalized, where normalized = (values + shift - mean) * inverse and inverse[row] =
  /// 1 / sqrt(variance + epsilon). `normalized` and `inverse` may be null if they are not needed.
  void (*normalize_rows)(const NormParameters<Value>& parameters, const FeatureBlocks& cut, std::int64_t row_count,
                         Value* values, Value* normalized, Value* inverse);
  void (*normalize_columns)(const NormParameters<Value>& parameters, std::int64_t columns, std::int64_t row_count,
                            Value* values, Value* normalized, Value* inverse);
  /// Replaces the gradients of the results by those of the values before. Sets scale_sums and shift_sums to the
  /// gradients of scale and shift, or adds to them if `accumulate`.
  void (*normalize_rows_gradient)(const Value* scale, const Value* normalized, const Value* inverse,
                                  const FeatureBlocks& cut, std::int64_t row_count, bool accumulate, Value* gradients,
                                  Value* scale_sums, Value* shift_sums);
  void (*normalize_columns_gradient)(const Value* scale, const Value* normalized, const Value* inverse,
                                     std::int64_t columns, std::int64_t row_count, bool accumulate, Value* gradients,
                                     Value* scale_sums, Value* shift_sums);
};

/// The parameters of a batch norm, [features] each, padded by rows.
template <class Value>
struct BatchNormParameters {
  const Value* mean = nullptr;
  const Value* inverse = nullptr;  ///< 1 / sqrt(variance + epsilon)
  const Value* scale = nullptr;
};

/// Batch normalization: each feature is normalized over the first `count` of `row_count` rows; the others are padding.
/// Rows are in row-major blocks, or columns.
template <class Value>
struct BatchNormKernels {
  /// The mean and the biased variance of each feature.
  void (*measure_rows)(const FeatureBlocks& cut, std::int64_t count, std::int64_t row_count, const Value* values,
                       Value* means, Value* variances);
  void (*measure_columns)(std::int64_t columns, std::int64_t count, std::int64_t row_count, const Value* values,
                          Value* means, Value* variances);
  /// values = scale * normalized, where normalized = (values - mean) * inverse. Both become zero in padding rows, which
  /// could overflow otherwise: `inverse` is large if the variance is small. `normalized` may be null.
  void (*normalize_rows)(const BatchNormParameters<Value>& parameters, const FeatureBlocks& cut, std::int64_t count,
                         std::int64_t row_count, Value* values, Value* normalized);
  void (*normalize_columns)(const BatchNormParameters<Value>& parameters, std::int64_t columns, std::int64_t count,
                            std::int64_t row_count, Value* values, Value* normalized);
  /// Replaces the gradients of the results by those of the values before, if mean and variance are those of the batch;
  /// they become zero in padding. Sets scale_sums to the gradients of scale.
  void (*normalize_rows_gradient)(const BatchNormParameters<Value>& parameters, const Value* normalized,
                                  const FeatureBlocks& cut, std::int64_t count, std::int64_t row_count,
                                  Value* gradients, Value* scale_sums);
  void (*normalize_columns_gradient)(const BatchNormParameters<Value>& parameters, const Value* normalized,
                                     std::int64_t columns, std::int64_t count, std::int64_t row_count, Value* gradients,
                                     Value* scale_sums);
};

/// The number of a bin, as wide as a value.
template <class Value>
using BinNumber = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;

/// The bins of one feature (data/feature_edges).
template <class Value>
struct EmbeddingBins {
  const Value* inner = nullptr;  ///< [inner_count]
  std::int64_t inner_count = 0;
  const Value* lower = nullptr;  ///< [inner_count + 1]
  const Value* width = nullptr;  ///< [inner_count + 1]
};

/// The values of one feature, each with its bin and its place in it.
template <class Value>
struct EmbeddedValues {
  const Value* values = nullptr;
  const BinNumber<Value>* bins = nullptr;
  const Value* places = nullptr;
};

/// The weights of one feature.
template <class Value>
struct EmbeddingWeights {
  const Value* factor = nullptr;    ///< [embedding_width]
  const Value* at_edges = nullptr;  ///< [edges, embedding_width]
  const Value* bias = nullptr;      ///< [embedding_width]; null: zero
};

/// Their gradients.
template <class Value>
struct EmbeddingGradients {
  Value *factor = nullptr, *at_edges = nullptr, *bias = nullptr;
};

/// The levels of one-hot encoded features in some rows, as rows of a table that they share.
template <class Value>
struct RowLevels {
  const BinNumber<Value>* levels = nullptr;  ///< [row_count, code_count]; negative: no level
  std::int64_t code_count = 0;
  std::int64_t row_count = 0;
};

/// The functions of one piecewise feature, the rows of one that is looked up, or those of all one-hot encoded ones
/// (EncodedFeature).
template <class Value>
struct EmbeddingKernels {
  /// Finds the bins and the places of `values`, [row_count].
  void (*locate)(const EmbeddingBins<Value>& bins, const Value* values, std::int64_t row_count,
                 BinNumber<Value>* numbers, Value* places);
  /// outputs[r, :] = values[r] * factor + bias + (1 - places[r]) * at_edges[bins[r], :]
  /// + places[r] * at_edges[bins[r] + 1, :], for `count` rows, which are `stride` apart.
  void (*embed)(const EmbeddingWeights<Value>& weights, const EmbeddedValues<Value>& rows, std::int64_t count,
                std::int64_t stride, Value* outputs);
  /// Adds the gradients of the weights to `sums`. `gradients`: of the outputs of `count` rows, `stride` apart.
  void (*embed_gradient)(const EmbeddedValues<Value>& rows, std::int64_t count, const Value* gradients,
                         std::int64_t stride, const EmbeddingGradients<Value>& sums);
  /// outputs[r, :] = table[levels[r], :], for `count` rows, which are `stride` apart.
  void (*look_up)(const Value* table, const BinNumber<Value>* levels, std::int64_t count, std::int64_t stride,
                  Value* outputs);
  /// Adds the gradients of the outputs of `count` rows, `stride` apart, to those of the table.
  void (*look_up_gradient)(const BinNumber<Value>* levels, std::int64_t count, const Value* gradients,
                           std::int64_t stride, Value* sums);
  /// results[r, :] = the sum of table[level, :] over the levels of row r. `width`, a multiple of `padding`: of the rows
  /// of the table and of the results.
  void (*sum_levels)(const Value* table, const RowLevels<Value>& rows, std::int64_t width, Value* results);
  /// Adds the gradients of the results to those of the table.
  void (*sum_levels_gradient)(const RowLevels<Value>& rows, const Value* gradients, std::int64_t width, Value* sums);
  /// The same for one output of a narrow layer: results[r] = the sum of weights[level] over the levels of row r.
  void (*sum_output)(const Value* weights, const RowLevels<Value>& rows, Value* results);
  void (*sum_output_gradient)(const RowLevels<Value>& rows, const Value* gradients, Value* sums);
};

/// A product of contiguous rows with the weights of some outputs.
struct RowProduct {
  const float* weights = nullptr;  ///< [input_count, output_count]
  std::int64_t input_count = 0;
  std::int64_t output_count = 0;   ///< a multiple of `padding`
  std::int64_t row_stride = 0;     ///< from one input row to the next
  std::int64_t result_stride = 0;  ///< a multiple of `padding`
  bool accumulate = false;         ///< adds to the results
};

/// Memory that will be needed next. It is prefetched during other work, one cache line at a time.
struct Prefetch {
  const char* next = nullptr;
  const char* end = nullptr;
};

/// Products for predictions.
struct RowKernels {
  std::int64_t rows_at_once;  ///< rows for which each weight is loaded once
  /// results[r, o] =, or +=, the sum over i of rows[r, i] * weights[i, o], in the order of i for any number of rows.
  /// Weights and results begin at cache lines. For every four inputs of up to `rows_at_once` rows, one cache line of
  /// `prefetch` is fetched.
  void (*multiply_rows)(const RowProduct& product, const float* rows, std::int64_t row_count, float* results,
                        Prefetch& prefetch);
};

/// A linear layer with one block of inputs, and what it has looked up for others.
template <class Value>
struct LinearLayer {
  const Value* columns = nullptr;  ///< inputs [column_count, row_count]
  std::int64_t column_count = 0;   ///< at most FeatureBlocks::width
  std::int64_t output_count = 0;
  const Value* weights = nullptr;  ///< [output_count, weight_stride]
  std::int64_t weight_stride = 0;
  const Value* bias = nullptr;  ///< [output_count]; null: zero
  /// [output_count, row_count]: added to the outputs, then replaced by their gradients; null: zero
  Value* looked_up = nullptr;
};

template <class Value>
struct LinearKernels {
  /// Forward product, loss and gradients of a layer with few outputs in one pass over its inputs, for losses
  /// with one term per output. Returns the weighted sum of the losses. weight_sums [output_count, weight_stride],
  /// except for its padding, and bias_sums [output_count] =, or +=, the gradients of `scale` times this sum.
  double (*loss)(const LossFunction& loss, const LinearLayer<Value>& layer, const BatchTargets<Value>& targets,
                 Value scale, std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums);
};

/// Functions of gradients and parameters with `count` elements, a multiple of `padding`.
template <class Value>
struct GradientKernels {
  /// The Euclidean norm; sums are formed in double.
  double (*norm)(const Value* gradient, std::int64_t count);
  void (*scale)(Value factor, std::int64_t count, Value* gradient);
  /// Limits each element to [-limit, limit]. NaN stays NaN.
  void (*clamp)(Value limit, std::int64_t count, Value* gradient);
  /// Adds `factor` times the signs (-1, 0 or 1) of `values`.
  void (*add_signs)(Value factor, const Value* values, std::int64_t count, Value* gradient);
  /// Adds `share` times the difference from `averages` to `values`.
  void (*approach)(Value share, const Value* values, std::int64_t count, Value* averages);
};

/// The coefficients of one optimizer step. Source: PyTorch's SGD, Adam, AdamW, RMSprop and NAdam.
template <class Value>
struct UpdateRule {
  Value rate = 0;            ///< learning rate
  Value corrected_rate = 0;  ///< learning rate, divided by the bias correction of a mean with beta1; nadam: times the
                             ///< weight of the mean
  Value gradient_rate = 0;   ///< nadam: learning rate, times the weight of the gradient
  Value root_scale = 1;      ///< 1 / sqrt(bias correction of a mean with beta2)
  Value weight_decay = 0;    ///< WeightDecay::l2
  Value shrink = 1;          ///< WeightDecay::decoupled: the factor of the parameter
  Value momentum = 0;
  double beta1 = 0, beta2 = 0, alpha = 0;  ///< double, so that 1 - beta1 is not computed from a rounded value
  Value epsilon = 0;
};

/// Updates `count` parameters (a multiple of `padding`) and their state: state_count_of() arrays, each `state_stride`
/// values after the one before. sgd: the momentum buffer; adam, adamw, nadam: the first, then the second moment;
/// rmsprop: the second moment, then the momentum buffer.
template <class Value>
using Update = void (*)(const UpdateRule<Value>& rule, const Value* gradients, std::int64_t count, Value* parameters,
                        Value* states, std::int64_t state_stride);

template <class Value>
MoveKernels<Value> move_kernels();
template <class Value>
ActivationKernels<Value> activation_kernels();
template <class Value>
NormKernels<Value> norm_kernels();
template <class Value>
BatchNormKernels<Value> batch_norm_kernels();
template <class Value>
EmbeddingKernels<Value> embedding_kernels();
RowKernels row_kernels();
template <class Value>
LinearKernels<Value> linear_kernels();
template <class Value>
GradientKernels<Value> gradient_kernels();
/// The update of an optimizer, with or without momentum.
template <class Value>
Update<Value> update_kernel(const TrainOptions& train);

/// The instruction set of the tables, e.g. "AVX2".
const char* instruction_set();

}  // namespace sheaf
