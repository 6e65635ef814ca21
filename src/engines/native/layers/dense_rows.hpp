// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/native/layers/block_products.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/level_table.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// A dense layer by rows: a hidden layer with enough outputs to fill vectors with them. Inputs, outputs and their
/// gradients are row-major blocks, weights are blocks of outputs, [inputs, padded]. Those of one-hot encoded inputs are
/// a table.
template <class Value>
class DenseRows : public TrainedLayer<Value> {
 public:
  DenseRows(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs, Parameters<Value>& parameters,
            Scratch<Value>& scratch);

  /// Whether padding adds at most a quarter to the outputs. Products by rows are vectorized along the outputs.
  static bool fills_vectors(std::int64_t outputs) { return 5 * outputs >= 4 * round_up(outputs, padding); }

  /// The bias, which the next layer adds.
  ShiftOffset shift() const { return bias_; }

  void for_each_segment(const SegmentUse& use) const override;
  void reserve(std::int64_t row_count) override;
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

 private:
  // The offset of the weights of one block of outputs.
  std::int64_t block_weights(std::int64_t output_block) const {
    return weights_ + outputs_.cut.offset(output_block, inputs_.cut.features);
  }
  BlockProducts<Value> products_of(std::int64_t output_block, std::int64_t block, std::int64_t row_count) const;
  void propagate(const TilePass& pass, const Value* gradients, Value* input_gradients) const;
  void update_weights(const TilePass& pass, const Value* gradients);

  LayerValues<Value>& inputs_;
  LayerValues<Value>& outputs_;
  Parameters<Value>& parameters_;
  Scratch<Value>& scratch_;
  std::int64_t weights_;  // offset of the weights
  LevelTable<Value> table_;
  ShiftOffset bias_;
  std::vector<std::vector<BlockProducts<Value>>> products_;  // for each number of rows, block of outputs and of inputs
};

}  // namespace sheaf
