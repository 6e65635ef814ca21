// A linear model or MLP in training. All of its data are in one arena. A batch is processed in tiles of rows that fit
// the cache.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
#include "study/model_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// Called with the complete gradient of a step before the update; may change it. The gradient has `count` values in the
/// order of the parameters in memory, including zeros for padding.
template <class Value>
using GradientHook = std::function<void(Value* gradient, std::int64_t count)>;

/// The position of a tile in its batch, and the optimizer step of the batch.
struct BatchTile {
  std::int64_t begin = 0;     ///< first row of the tile within the batch
  bool first = true;          ///< first tile of the batch: gradients are replaced, not added
  bool last = true;           ///< last tile of the batch: parameters are updated
  double gradient_scale = 1;  ///< factor for the gradients of the summed loss
  double learning_rate = 0;
  TrainingStep step;
};

/// Value: float or double. Only reserve() and the constructor allocate memory. Not shared between threads.
template <class Value>
class NativeNetwork {
 public:
  /// `layers` must be dense. `drops`: whether trainings may use dropout. `max_rows`: the maximum number of rows per
  /// tile.
  NativeNetwork(const std::vector<Layer>& layers, bool drops, std::int64_t max_rows);

  /// Sets the options of the next trainings: dropout, activation, loss and optimizer. Called before load().
  void set_options(const ModelOptions& model, const TrainOptions& train);

  /// Makes the products for tiles of `count` rows, for training and evaluation.
  void reserve(std::int64_t count);

  /// Starts a new training with the weights in the flat list of initial_weights(). Rows come from `data` and are scaled
  /// as in `split`; both must outlive the training.
  void load(const std::vector<float>& weights, const DataSet& data, const Split& split);

  /// Saves or restores parameters and optimizer state, in this memory layout.
  void save(ByteWriter& state) const;
  void restore(ByteReader& state);

  /// From now on, gathers rows from `data`, with the same scaling. `data` must exist as long as rows are gathered.
  void read_from(const DataSet& data);

  /// The current parameters as a flat list in the order of initial_weights(), rounded to float.
  std::vector<float> parameters() const;

  /// Gathers the next tile for train() or evaluate(): `count` rows, as reserved. `weighted`: uses the sample weights of
  /// the data set, if it has any. Otherwise each row has weight 1.
  void gather(const std::int64_t* rows, std::int64_t count, bool weighted);

  /// Computes the forward and backward pass and, for the last tile of a batch, the update. Returns the weighted sum of
  /// the losses of all rows (for mse and bce also over the outputs). A `hook` must be passed for all tiles of a batch;
  /// the complete gradient is then in memory before the update. Without a hook, each group of gradients is used while
  /// it is in the cache.
  double train(const BatchTile& tile, const GradientHook<Value>* hook = nullptr);

  /// Computes the forward pass without dropout. Returns the loss sum and writes the outputs [count, outputs],
  /// row-major, plain values in the units of the targets, or logits.
  double evaluate(float* outputs);

 private:
  // A dense layer and its memory. Wide hidden layers work by rows: inputs, outputs and their gradients are row-major
  // blocks, and weights are blocks of outputs, [inputs, padded]. The other layers work by columns: inputs are columns
  // (and rows, for the weight gradient), outputs and their gradients are columns, and weights are blocks of inputs,
  // [outputs, padded].
  struct LayerMemory {
    Layer layout;
    FeatureBlocks inputs, outputs;
    bool by_rows = false;
    std::int64_t weights = 0;  // offset in the parameter arrays
    std::int64_t bias = 0;     // offset of [outputs], padded
    std::int64_t group = 0;    // outputs (by rows: inputs) whose weight gradients are computed and used together
    Value* columns = nullptr;  // inputs [columns, rows]; null: not needed
    Value* rows = nullptr;     // inputs in row-major blocks; null: not needed
    Value* slopes = nullptr;   // derivatives of the previous layer's activation, stored like the inputs' gradients;
                               // null in the first layer

    bool is_narrow() const { return layout.outputs < narrow_outputs; }
    bool needs_columns() const { return !by_rows; }
    bool needs_rows() const { return !is_narrow(); }
    // The offset of the weights of one block of outputs, for layers that work by rows.
    std::int64_t block_weights(std::int64_t output_block) const {
      return weights + outputs.offset(output_block, layout.inputs);
    }
  };

  // The products of a layer for one block of inputs. For layers that work by rows, also for one block of outputs.
  struct BlockProducts {
    Product<Value> forward;
    Product<Value> input_gradient;
    Product<Value> weight_gradient, last_weight_gradient;            // for a group, and for the last group
    Product<Value> more_weight_gradient, more_last_weight_gradient;  // the same, but added to the sums

    const Product<Value>& weight_gradient_of(bool last, bool accumulate) const {
      if (accumulate) return last ? more_last_weight_gradient : more_weight_gradient;
      return last ? last_weight_gradient : weight_gradient;
    }
  };

  // All products for tiles of `row_count` rows.
  struct TileProducts {
    std::int64_t row_count = 0;
    std::vector<std::vector<BlockProducts>> layers;
  };

  void lay_out(ArenaLayout& arena, std::int64_t max_rows);
  BlockProducts products_by_columns(std::size_t index, std::int64_t block, std::int64_t row_count) const;
  BlockProducts products_by_rows(std::size_t index, std::int64_t output_block, std::int64_t block,
                                 std::int64_t row_count) const;
  const TileProducts& products_for(std::int64_t row_count) const;

  void gather_targets(const std::int64_t* rows, std::int64_t count, bool in_order);
  void gather_weights(const std::int64_t* rows, std::int64_t count, bool weighted);
  void forward(const BatchTile* tile);
  void multiply_by_columns(std::size_t index, Value* values) const;
  void multiply_by_rows(std::size_t index, Value* blocks) const;
  void activate_columns(std::size_t index, const BatchTile* tile);
  void activate_rows(std::size_t index, const BatchTile* tile);
  void columns_to_rows(const FeatureBlocks& cut, Value* columns, Value* rows) const;
  void rows_to_columns(const FeatureBlocks& cut, const Value* rows, Value* columns) const;
  void draw_mask(std::size_t index, const BatchTile& tile);
  Value keep_scale() const { return static_cast<Value>(1 / (1 - dropout_)); }
  double loss(const BatchTile* tile);
  template <class LossOfOutputs>
  double sum_in_target_units(const LossOfOutputs& of_outputs) const;
  Value* bias_gradients(const LayerMemory& layer) const;
  bool can_train_in_one_pass() const;
  double train_in_one_pass(const BatchTile& tile);
  void backward(const BatchTile& tile);
  void propagate_by_columns(std::size_t index, const Value* gradients, Value* input_gradients) const;
  void propagate_by_rows(std::size_t index, const Value* gradients, Value* input_gradients) const;
  void finish_gradient(std::size_t index, bool accumulate, Value* gradients);
  void update_weights_by_columns(std::size_t index, const Value* gradients, const BatchTile& tile);
  void update_weights_by_rows(std::size_t index, const Value* gradients, const BatchTile& tile);
  void weight_gradient(const LayerMemory& layer, const BlockProducts& products, std::int64_t block, std::int64_t output,
                       const Value* gradients, bool accumulate, Value* to) const;
  void update(const Value* gradients, std::int64_t offset, std::int64_t count);
  bool updates_by_groups(const BatchTile& tile) const { return tile.last && hook_ == nullptr; }

  const bool drops_;
  double dropout_ = 0;
  Activation function_{};
  LossKind loss_kind_{};
  std::vector<LayerMemory> layers_;
  std::int64_t parameter_count_ = 0;  // including padding
  std::vector<TileProducts> tile_products_;
  MoveKernels<Value> move_ = move_kernels<Value>();
  MoveKernels<float> move_floats_ = move_kernels<float>();
  ActivationKernels<Value> activation_ = activation_kernels<Value>();
  LossKernels<Value> loss_ = loss_kernels<Value>();
  LinearKernels<Value> linear_ = linear_kernels<Value>();
  std::optional<Updater<Value>> updater_;
  const GradientHook<Value>* hook_ = nullptr;  // hook for the current batch

  Arena arena_;
  Value *parameters_ = nullptr, *first_ = nullptr, *second_ = nullptr, *gradients_ = nullptr;
  Value* weight_gradients_ = nullptr;               // [largest group]
  Value* unused_gradients_ = nullptr;               // [widest layer]
  Value* outputs_ = nullptr;                        // [outputs, rows]
  Value* layer_gradients_[2] = {nullptr, nullptr};  // [widest layer, rows], used alternately
  Value* transposed_[2] = {nullptr, nullptr};  // the same: gradients of a layer by rows and of its inputs, as columns
  float *mask_ = nullptr, *keep_ = nullptr;    // dropout mask: row-major and by columns

  // The data and the current tile. The inputs of the tile are those of the first layer.
  const DataSet* data_ = nullptr;
  const TargetScaling* target_scaling_ = nullptr;
  RowSource source_;
  const TileProducts* products_ = nullptr;
  std::int64_t count_ = 0;                                             // rows without padding
  Value *labels_ = nullptr, *targets_ = nullptr, *weights_ = nullptr;  // BatchTargets
  std::int64_t unit_weights_ = 0;  // number of leading weights that are 1, followed by padding of 0; 0: other weights
};

}  // namespace sheaf
