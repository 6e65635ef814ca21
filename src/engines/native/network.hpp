// A network in training: a chain of layers. All of its data are in one arena. A batch is processed in tiles of rows
// that fit the cache.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/bytes.hpp"
#include "data/dataset.hpp"
#include "data/feature_scaling.hpp"
#include "data/target_scaling.hpp"
#include "engines/native/layers/dense_columns.hpp"
#include "engines/native/layers/encoding.hpp"
#include "engines/native/layers/output_loss.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"
#include "study/model_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// Called with the complete gradient of a step before the update; may change it. Gradients of padding are zero.
template <class Value>
using GradientHook = std::function<void(const Parameters<Value>& parameters)>;

/// The properties of a network that determine its memory.
struct NetworkShape {
  std::vector<Layer> layers;  ///< layers_refusal() has no value for them
  bool drops = false;         ///< trainings may use dropout
  int optimizer_states = 0;   ///< optimizer_state_count() of the trainings
  bool averages = false;      ///< trainings have averaged weights
};

/// Value: float or double. Only the constructor, reserve() and load() allocate memory. Not shared between threads.
template <class Value>
class NativeNetwork {
 public:
  /// `max_rows`: the maximum number of rows per tile.
  NativeNetwork(const NetworkShape& shape, std::int64_t max_rows);
  NativeNetwork(const NativeNetwork&) = delete;
  NativeNetwork& operator=(const NativeNetwork&) = delete;

  /// Sets the options of the next trainings: dropout, activation, loss and optimizer. Called before load().
  void set_options(const ModelOptions& model, const TrainOptions& train);

  /// Makes the products for tiles of `count` rows, for training and evaluation.
  void reserve(std::int64_t count);

  /// Starts a new training with the weights in the flat list of initial_weights(). Features and targets of `data` are
  /// scaled; all must outlive the training. `class_weights`: TrainingTask::class_weights.
  void load(const std::vector<float>& weights, const DataSet& data, const FeatureScaling& scaling,
            const TargetScaling& targets, const std::vector<double>& class_weights = {});

  /// Saves or restores parameters, optimizer state, averages and buffers, in this memory layout.
  void save(ByteWriter& state) const;
  void restore(ByteReader& state);

  /// From now on, gathers rows from `data`, with the same scaling. `data` must exist as long as rows are gathered.
  void read_from(const DataSet& data);

  /// The current parameters, or their averages, and the buffers.
  NetworkState state() const;

  /// Exchanges parameters and averages if `averages`. Called before the first evaluate() and after the last one.
  void swap_averages() { parameters_.swap_averages(); }

  /// Gathers the next tile for train() or evaluate(): `count` rows, as reserved. `weighted`: uses the sample weights of
  /// the data set and the class weights, if there are any. Otherwise each row has weight 1.
  void gather(const std::int64_t* rows, std::int64_t count, bool weighted);

  /// Computes the forward and backward pass and, for the last tile of a batch, the update. Returns the weighted sum of
  /// the losses of all rows (over the outputs too if Loss::is_per_output()). A `hook` must be passed for all tiles of a
  /// batch; the complete gradient is then in memory before the update. Without a hook, each group of gradients is used
  /// while it is in the cache.
  double train(const BatchTile& tile, const GradientHook<Value>* hook = nullptr);

  /// Computes the forward pass without dropout. Returns the loss sum and writes the outputs [count, outputs],
  /// row-major, plain values in the units of the targets, or logits.
  double evaluate(float* outputs);

 private:
  ShiftOffset add_layer(const Layer& layer, ShiftOffset bias, bool last);
  ShiftOffset add_encoding(const Layer& layer);
  ShiftOffset add_dense(const Layer& layer, bool last);
  ShiftOffset add_norm(const Layer& layer, ShiftOffset bias);
  void for_each_buffer(const BufferUse<Value>& use) const;
  void lay_out(ArenaLayout& arena, std::int64_t max_rows);
  double train_layers(const TilePass& pass);

  Parameters<Value> parameters_;
  Scratch<Value> scratch_;
  std::vector<LayerValues<Value>> values_;  // the inputs, then the outputs of each dense layer
  std::vector<std::unique_ptr<TrainedLayer<Value>>> chain_;
  DenseColumns<Value>* linear_ = nullptr;     // the only layer, if it can train in one pass
  EncodingLayer<Value>* encoding_ = nullptr;  // the first layer, if it is one
  std::unique_ptr<OutputLoss<Value>> loss_;
  Arena arena_;
  std::vector<std::int64_t> row_counts_;  // reserved
  MoveKernels<Value> move_ = move_kernels<Value>();

  const DataSet* data_ = nullptr;
  RowSource source_;
  TilePass tile_;  // the gathered tile
};

}  // namespace sheaf
