// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/native/layers/block_products.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/level_table.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/output_loss.hpp"
#include "engines/native/layers/scratch.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// A dense layer by columns: the last layer, or one with few outputs. Outputs and their gradients are columns, weights
/// are blocks of inputs, [outputs, padded]. It reads its inputs as columns and, for the weight gradient, as rows. With
/// fewer than `narrow_outputs` outputs it uses sums over columns instead of products, and reads columns only. The
/// weights of one-hot encoded inputs are a table: by columns if the layer is narrow, otherwise by rows, and what is
/// looked up is transposed.
template <class Value>
class DenseColumns : public TrainedLayer<Value> {
 public:
  DenseColumns(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
               Parameters<Value>& parameters, Scratch<Value>& scratch);

  /// The bias, which the next layer adds.
  ShiftOffset shift() const { return bias_; }

  void for_each_segment(const SegmentUse& use) const override;
  void reserve(std::int64_t row_count) override;
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

  /// Whether the layer alone, as a linear model, can train in one pass over its inputs.
  bool can_train_in_one_pass() const;

  /// Computes the outputs, their loss and all gradients together, and updates the parameters if `pass.updates`. Returns
  /// the loss. This is faster for small linear models, whose steps are bound by the bandwidth of the cache. `loss` has
  /// one term per output.
  double train_in_one_pass(const TilePass& pass, const OutputLoss<Value>& loss);

 private:
  bool is_narrow() const { return outputs_.cut.features < narrow_outputs; }
  BlockProducts<Value> products_of(std::int64_t block, std::int64_t row_count) const;
  void propagate(const TilePass& pass, const Value* gradients, Value* input_gradients) const;
  void update_weights(const TilePass& pass, const Value* gradients);
  void weight_gradient(const TilePass& pass, std::int64_t block, std::int64_t output, const Value* gradients,
                       Value* to) const;
  void update_bias();
  void look_up(const TilePass& pass) const;
  void update_table(const TilePass& pass, Value* gradients);

  LayerValues<Value>& inputs_;
  LayerValues<Value>& outputs_;
  Parameters<Value>& parameters_;
  Scratch<Value>& scratch_;
  std::int64_t weights_;  // offset of the weights
  LevelTable<Value> table_;
  ShiftOffset bias_;
  std::int64_t group_;                                       // outputs whose weight gradients are used together
  std::vector<std::vector<BlockProducts<Value>>> products_;  // for each number of rows and block of inputs
  ActivationKernels<Value> kernels_ = activation_kernels<Value>();
  LinearKernels<Value> linear_ = linear_kernels<Value>();
};

}  // namespace sheaf
