// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/level_table.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// A dense layer for predictions. Weights are stored in panels of outputs, each [inputs][outputs of the panel]. A
/// product multiplies the rows of a tile by a panel, over one block of inputs. Inputs and outputs are by rows, in one
/// block. The weights of one-hot encoded inputs are a table. While a tile is multiplied, the memory of `pass.prefetch`
/// is fetched.
class DensePanels : public ForwardLayer<float> {
 public:
  /// `inputs`: null for the first layer, which reads `pass.features`.
  DensePanels(const Layer& layout, const LayerValues<float>* inputs, LayerValues<float>& outputs,
              Parameters<float>& parameters);

  /// The bias, padded, which the next layer adds; zero without one.
  ShiftOffset shift() const { return bias_; }

  void for_each_segment(const SegmentUse& use) const override;
  void forward(const TilePass& pass) override;

 private:
  // The product of a panel over one block of inputs.
  struct Panel {
    RowProduct product;        // its weights are set in forward()
    std::int64_t weights = 0;  // offset
    std::int64_t input = 0;    // first input of the block
    std::int64_t output = 0;   // first output of the panel
  };

  const Panel& panel_of(std::int64_t output, std::int64_t block) const;

  Layer layout_;
  bool is_first_;
  LayerValues<float> features_;  // the first layer: its inputs, without memory
  const LayerValues<float>& inputs_;
  LayerValues<float>& outputs_;
  Parameters<float>& parameters_;
  std::int64_t block_inputs_ = 0;  // inputs of a block, except for the last one
  std::int64_t block_count_ = 0;   // blocks of inputs
  std::vector<Panel> panels_;      // for each panel of outputs and block of inputs
  LevelTable<float> table_;
  std::int64_t bias_ = 0;
  RowKernels kernels_ = row_kernels();
};

}  // namespace sheaf
