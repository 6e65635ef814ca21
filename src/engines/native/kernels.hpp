// The native engine's passes over memory, vectorised: tables of functions for the best instruction set of the
// machine. Matrices of activations are stored by columns, [columns, rows], or in row-major blocks (FeatureBlocks); the
// rows of a batch are padded to `row_count`, a multiple of `padding`, and arrays begin at cache lines. All functions
// are pure but for what they write. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/study.hpp"
#include "training/losses/loss_kernels.hpp"

namespace sheaf {

/// Where a batch's rows come from.
struct RowSource {
  const float* features = nullptr;      ///< [rows, feature_count]
  const std::uint8_t* bytes = nullptr;  ///< the same when the features are bytes; then `features` is null
  std::int64_t feature_count = 0;
  const float* shift = nullptr;  ///< [feature_count]: value = (feature - shift) * scale; null: as it is
  const float* scale = nullptr;
};

/// Moves rows and turns matrices over.
template <class Value>
struct MoveKernels {
  /// The chosen rows, `count` > 0, scaled in float, by columns and in row-major blocks with their padding. May be null:
  /// `rows` (the first ones), one of `blocks` and `columns` (not wanted). Rows from `count` to `row_count`, the least
  /// multiple of `padding`, are zero.
  void (*gather)(const RowSource& source, const std::int64_t* rows, std::int64_t count, std::int64_t row_count,
                 Value* blocks, Value* columns);
  /// to[column * to_stride + row] = from[row * from_stride + column]; `row_count` a multiple of `padding`,
  /// `column_count` 4 at least.
  void (*transpose)(const Value* from, std::int64_t from_stride, std::int64_t row_count, std::int64_t column_count,
                    Value* to, std::int64_t to_stride);
};

/// The hidden layers' pointwise work.
template <class Value>
struct ActivationKernels {
  /// values[c, r] = keep[c, r] * keep_scale * f(values[c, r] + bias[c]), and derivative[c, r] likewise with f'. May be
  /// null: `bias` (zero), `keep` (neither is multiplied), `derivative` (not wanted).
  void (*activate)(Activation kind, const Value* bias, const float* keep, Value keep_scale, std::int64_t columns,
                   std::int64_t row_count, Value* values, Value* derivative);
  /// The same for a row-major block, [row_count, padded columns]: the values' padding becomes zero, the derivative's
  /// anything. `bias` is padded; `keep` [row_count, keep_stride] is read as far as the padding goes.
  void (*activate_rows)(Activation kind, const Value* bias, const float* keep, std::int64_t keep_stride,
                        Value keep_scale, std::int64_t columns, std::int64_t row_count, Value* values,
                        Value* derivative);
  /// gradients[c, r] *= derivative[c, r]; sums[c] = or += the sum over r of the product.
  void (*finish_gradient)(const Value* derivative, std::int64_t columns, std::int64_t row_count, bool accumulate,
                          Value* gradients, Value* sums);
  /// The same for a row-major block, [row_count, columns], `columns` a multiple of `padding`.
  void (*finish_gradient_rows)(const Value* derivative, std::int64_t columns, std::int64_t row_count, bool accumulate,
                               Value* gradients, Value* sums);
  /// The products of a layer too narrow for a matrix product to be fast. Forward: results[o, r] = or += the sum over c
  /// of columns[c, r] * weights[o * weight_stride + c].
  void (*combine_columns)(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* weights,
                          std::int64_t weight_stride, std::int64_t output_count, bool accumulate, Value* results);
  /// Weight gradient: sums[o * sum_stride + c] = or += the sum over r of columns[c, r] * gradients[o, r].
  void (*dot_columns)(const Value* columns, std::int64_t column_count, std::int64_t row_count, const Value* gradients,
                      std::int64_t output_count, bool accumulate, Value* sums, std::int64_t sum_stride);
};

/// A product of rows that lie together with some outputs' weights.
struct RowProduct {
  const float* weights = nullptr;  ///< [input_count, output_count]
  std::int64_t input_count = 0;
  std::int64_t output_count = 0;   ///< a multiple of `padding`
  std::int64_t row_stride = 0;     ///< of the inputs
  std::int64_t result_stride = 0;  ///< a multiple of `padding`
  bool accumulate = false;         ///< to what the results are
};

/// Memory that will be wanted: fetched beside other work, a line at a time.
struct Prefetch {
  const char* next = nullptr;
  const char* end = nullptr;
};

/// What predicts.
struct RowKernels {
  std::int64_t rows_at_once;  ///< that share each load of a weight
  /// results[r, o] = or += the sum over i of rows[r, i] * weights[i, o], added up in the order of i, whatever the
  /// number of rows. Weights and results begin at cache lines. A line of `soon` is fetched for every four inputs of up
  /// to `rows_at_once` rows.
  void (*multiply_rows)(const RowProduct& product, const float* rows, std::int64_t row_count, float* results,
                        Prefetch& soon);
};

/// A linear layer over one block of inputs.
template <class Value>
struct LinearLayer {
  const Value* columns = nullptr;  ///< inputs [column_count, row_count]
  std::int64_t column_count = 0;   ///< at most FeatureBlocks::width
  std::int64_t output_count = 0;
  const Value* weights = nullptr;  ///< [output_count, weight_stride]
  std::int64_t weight_stride = 0;
  const Value* bias = nullptr;  ///< [output_count]; null: zero
};

template <class Value>
struct LinearKernels {
  /// Forward, loss and gradients of a layer with few outputs in one pass over its inputs; for mse and bce. Returns the
  /// weighted sum of the rows' losses. The gradients of scale times it, summed over the rows, are put or added to:
  /// weight_sums [output_count, weight_stride] but for its padding, bias_sums [output_count].
  double (*loss)(LossKind kind, const LinearLayer<Value>& layer, const BatchTargets<Value>& targets, Value scale,
                 std::int64_t row_count, bool accumulate, Value* weight_sums, Value* bias_sums);
};

/// One optimizer step's numbers. Source: PyTorch's SGD, Adam, AdamW and RMSprop.
template <class Value>
struct UpdateRule {
  Value rate = 0;           ///< learning rate; adam: over the first moment's bias correction
  Value weight_decay = 0;   ///< sgd, adam, rmsprop: added to the gradient, times the parameter
  Value shrink = 1;         ///< adamw: the parameter is multiplied by it first
  Value momentum = 0;       ///< sgd, rmsprop
  double first_decay = 0;   ///< adam: beta1; in double: 1 minus it must not be 1 minus a rounded one
  double second_decay = 0;  ///< adam: beta2; rmsprop: alpha
  Value root_scale = 1;     ///< adam: 1 / sqrt(the second moment's bias correction)
  Value epsilon = 0;
};

template <class Value>
struct UpdateKernels {
  /// Updates `count` parameters (a multiple of `padding`) and their state. `first`: sgd's and rmsprop's momentum
  /// buffer, adam's first moment. `second`: adam's and rmsprop's second moment. Those not used may be null.
  using Update = void (*)(const UpdateRule<Value>& rule, const Value* gradients, std::int64_t count, Value* parameters,
                          Value* first, Value* second);
  Update sgd, sgd_momentum, sgd_nesterov, adam, rmsprop, rmsprop_momentum;
};

template <class Value>
MoveKernels<Value> move_kernels();
template <class Value>
ActivationKernels<Value> activation_kernels();
RowKernels row_kernels();
template <class Value>
LinearKernels<Value> linear_kernels();
template <class Value>
UpdateKernels<Value> update_kernels();

/// The instruction set that the tables are for, e.g. "AVX2".
const char* instruction_set();

}  // namespace sheaf
