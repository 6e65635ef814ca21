// A linear model or MLP with everything that its training touches in one arena: a batch goes through it in tiles of
// rows that fit the cache. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/bytes.hpp"
#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "engines/native/arena.hpp"
#include "engines/native/feature_blocks.hpp"
#include "engines/native/kernels.hpp"
#include "engines/native/product.hpp"
#include "engines/native/updater.hpp"
#include "models/dropout_mask.hpp"
#include "models/network_layout.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Looks at the gradient of a whole step before the update, and may change it: `count` values in the order of the
/// parameters in memory, among them zeros of padding.
template <class Value>
using GradientHook = std::function<void(Value* gradient, std::int64_t count)>;

/// What a tile's training needs to know of its batch.
struct BatchPart {
  std::int64_t begin = 0;     ///< of the tile within the batch
  bool first = true;          ///< the batch begins with this tile, hence gradients do
  bool last = true;           ///< the batch ends with it, hence parameters are updated
  double gradient_scale = 1;  ///< of the gradients of the summed loss
  double learning_rate = 0;
  TrainingStep step;
};

/// Value: float or double. Only load, reserve and the constructor allocate. Not shared between threads.
template <class Value>
class NativeNetwork {
 public:
  /// `layers` are dense. `most_rows`: of any tile.
  NativeNetwork(const std::vector<Layer>& layers, const ModelOptions& model, const TrainOptions& train,
                std::int64_t most_rows);

  /// Makes the products for tiles of `count` rows, for training or for evaluation alone.
  void reserve(std::int64_t count);

  /// Starts anew from the flat list of initial_weights(), with the rows of `data` in `scaling`. Both outlive the
  /// training.
  void load(const std::vector<float>& weights, const DataSet& data, const FeatureScaling& scaling);

  /// Parameters and optimizer state, of this layout, and back.
  void save(ByteWriter& state) const;
  void restore(ByteReader& state);

  /// Gathers from this data set from now on, in the same scaling. It outlives the gathering.
  void read_from(const DataSet& data);

  /// The flat list of initial_weights() as it is now, rounded to float.
  std::vector<float> parameters() const;

  /// Takes a tile of rows, `count` of them as reserved, to work on from now on. `weighted`: with the sample weights of
  /// the data set, if it has any; else each row weighs 1.
  void gather(const std::int64_t* rows, std::int64_t count, bool weighted);

  /// Forward, backward and, with the last tile of a batch, the update. Returns the weighted sum of the rows' losses
  /// (for mse and bce of all outputs of a row). With a `hook`, which all tiles of a batch have then, the gradient is
  /// completed in memory before the update; without one each piece is used up in the cache.
  double train(const BatchPart& part, const GradientHook<Value>* hook = nullptr);

  /// Forward alone, without dropout: the loss sum, and outputs [count, outputs] row-major, plain values or logits.
  double evaluate(float* outputs);

 private:
  // A dense layer and where its numbers lie. Wide hidden layers work by rows: inputs, outputs and their gradients in
  // row-major blocks, weights in blocks of outputs, [inputs, padded]. The others work by columns: inputs as columns
  // (and as rows, for the weight gradient), outputs and their gradients as columns, weights in blocks of inputs,
  // [outputs, padded].
  struct Place {
    Layer layer;
    FeatureBlocks inputs, outputs;
    bool by_rows = false;
    std::int64_t weights = 0;  // offsets in the parameter arrays
    std::int64_t bias = 0;     // [outputs], padded
    std::int64_t chunk = 0;    // outputs, by rows inputs, whose weight gradients are made and used at once
    Value* columns = nullptr;  // inputs [columns, rows]; null: not wanted
    Value* rows = nullptr;     // inputs in row-major blocks; null: not wanted
    Value* slopes = nullptr;   // derivatives of the activation before it, as its gradients lie; not of the first layer

    bool is_narrow() const { return layer.outputs < narrow_outputs; }
    bool wants_columns() const { return !by_rows; }
    bool wants_rows() const { return !is_narrow(); }
    // By rows: of one block of outputs.
    std::int64_t block_weights(std::int64_t output_block) const {
      return weights + outputs.offset(output_block, layer.inputs);
    }
  };

  // The products of one layer, for each block of its inputs; by rows for each block of its outputs, too.
  struct BlockProducts {
    Product<Value> forward;
    Product<Value> input_gradient;
    Product<Value> weight_gradient, last_weight_gradient;            // of a chunk; of the last one
    Product<Value> more_weight_gradient, more_last_weight_gradient;  // added to what is there

    const Product<Value>& weight_gradient_of(bool last, bool accumulate) const {
      if (accumulate) return last ? more_last_weight_gradient : more_weight_gradient;
      return last ? last_weight_gradient : weight_gradient;
    }
  };

  // All products for tiles of one height.
  struct Pass {
    std::int64_t row_count = 0;
    std::vector<std::vector<BlockProducts>> layers;
  };

  void lay_out(ArenaLayout& arena, std::int64_t most_rows);
  BlockProducts products_by_columns(std::size_t index, std::int64_t block, std::int64_t row_count) const;
  BlockProducts products_by_rows(std::size_t index, std::int64_t output_block, std::int64_t block,
                                 std::int64_t row_count) const;
  const Pass& pass_of(std::int64_t row_count) const;

  void gather_targets(const std::int64_t* rows, std::int64_t count, bool in_order);
  void gather_weights(const std::int64_t* rows, std::int64_t count, bool weighted);
  void forward(const BatchPart* part);
  void multiply_by_columns(std::size_t index, Value* values) const;
  void multiply_by_rows(std::size_t index, Value* blocks) const;
  void activate_columns(std::size_t index, const BatchPart* part);
  void activate_rows(std::size_t index, const BatchPart* part);
  void columns_to_rows(const FeatureBlocks& cut, Value* columns, Value* rows) const;
  void rows_to_columns(const FeatureBlocks& cut, const Value* rows, Value* columns) const;
  void draw_mask(std::size_t index, const BatchPart& part);
  Value keep_scale() const { return static_cast<Value>(1 / (1 - model_.dropout)); }
  double loss(const BatchPart* part);
  Value* bias_gradients(const Place& place) const;
  bool goes_in_one_pass() const;
  double train_in_one_pass(const BatchPart& part);
  void backward(const BatchPart& part);
  void propagate_by_columns(std::size_t index, const Value* gradients, Value* input_gradients) const;
  void propagate_by_rows(std::size_t index, const Value* gradients, Value* input_gradients) const;
  void finish_gradient(std::size_t index, bool accumulate, Value* gradients);
  void update_weights_by_columns(std::size_t index, const Value* gradients, const BatchPart& part);
  void update_weights_by_rows(std::size_t index, const Value* gradients, const BatchPart& part);
  void weight_gradient(const Place& place, const BlockProducts& products, std::int64_t block, std::int64_t output,
                       const Value* gradients, bool accumulate, Value* to) const;
  void update(const Value* gradients, std::int64_t offset, std::int64_t count);
  bool updates_by_pieces(const BatchPart& part) const { return part.last && hook_ == nullptr; }

  ModelOptions model_;
  TrainOptions train_;
  std::vector<Place> places_;
  std::int64_t parameter_count_ = 0;  // with padding
  std::vector<Pass> passes_;
  MoveKernels<Value> move_ = move_kernels<Value>();
  MoveKernels<float> move_floats_ = move_kernels<float>();
  ActivationKernels<Value> activation_ = activation_kernels<Value>();
  LossKernels<Value> loss_ = loss_kernels<Value>();
  LinearKernels<Value> linear_ = linear_kernels<Value>();
  Updater<Value> updater_;
  const GradientHook<Value>* hook_ = nullptr;  // of the batch at hand

  Arena arena_;
  Value *parameters_ = nullptr, *first_ = nullptr, *second_ = nullptr, *gradients_ = nullptr;
  Value* weight_gradients_ = nullptr;               // of one chunk
  Value* unused_gradients_ = nullptr;               // [widest layer]
  Value* outputs_ = nullptr;                        // [outputs, rows]
  Value* layer_gradients_[2] = {nullptr, nullptr};  // [widest layer, rows], taken in turns
  Value* turned_[2] = {nullptr, nullptr};           // the same: of a layer by rows and of its inputs, as columns
  float *mask_ = nullptr, *keep_ = nullptr;         // dropout: row-major, and by columns

  // The data, and the tile at hand, whose inputs are those of the first place.
  const DataSet* data_ = nullptr;
  RowSource source_;
  const Pass* pass_ = nullptr;
  std::int64_t count_ = 0;                                             // rows; without padding
  Value *labels_ = nullptr, *targets_ = nullptr, *weights_ = nullptr;  // BatchTargets
  std::int64_t ones_ = 0;  // so many weights are 1, and the padding after them is 0
};

}  // namespace sheaf
