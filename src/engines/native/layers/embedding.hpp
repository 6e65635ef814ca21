// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/feature_edges.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// What training and predictions of a piecewise embedding have in common: the places of its parameters, and the bins of
/// its features.
template <class Value>
class EmbeddingParameters {
 public:
  EmbeddingParameters(const Layer& layout, Parameters<Value>& parameters);

  /// `edges`: FeatureScaling::edges.
  void set_edges(const std::vector<float>& edges);

  const Layer& layout() const { return layout_; }
  /// The embedded inputs. Input inputs()[n] becomes the outputs from n * embedding_width on.
  const std::vector<std::int64_t>& inputs() const { return inputs_; }

  void for_each_segment(const SegmentUse& use) const;

  EmbeddingBins<Value> bins_of(std::int64_t number) const;
  EmbeddingWeights<Value> weights_of(std::int64_t number) const;

  void clear_gradients() const;
  /// `unused`: takes the gradients of biases that do not exist.
  EmbeddingGradients<Value> gradients_of(std::int64_t number, Value* unused) const;
  void update() const;

 private:
  // The first weight of an embedded input.
  std::int64_t offset_of(std::int64_t number) const { return weights_ + number * (1 + max_edges) * embedding_width; }

  Layer layout_;
  std::vector<std::int64_t> inputs_;
  Parameters<Value>& parameters_;
  std::int64_t weights_;  // offset of the weights
  ShiftOffset bias_;
  FeatureBins<Value> bins_;
  std::vector<std::int64_t> inner_counts_;  // of the inner edges that are not infinite
};

/// A piecewise embedding in training: the first layer. It reads its inputs as columns and writes its outputs by rows.
/// Bins and places are kept for the backward pass.
template <class Value>
class EmbeddingLayer : public TrainedLayer<Value> {
 public:
  EmbeddingLayer(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
                 Parameters<Value>& parameters, Scratch<Value>& scratch);

  /// Sets the edges of the next trainings. The only function of a layer that allocates besides the constructor and
  /// reserve().
  void set_edges(const std::vector<float>& edges) { parameters_.set_edges(edges); }

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) override;
  void for_each_segment(const SegmentUse& use) const override { parameters_.for_each_segment(use); }
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

 private:
  EmbeddedValues<Value> values_of(std::int64_t number, std::int64_t row_count) const;

  EmbeddingParameters<Value> parameters_;
  LayerValues<Value>& inputs_;
  LayerValues<Value>& outputs_;
  Scratch<Value>& scratch_;
  BinNumber<Value>* bins_ = nullptr;  // [embedded, row_count]
  Value* places_ = nullptr;           // [embedded, row_count]
  EmbeddingKernels<Value> kernels_ = embedding_kernels<Value>();
};

/// A piecewise embedding for predictions. It reads `pass.features`. Outputs are by rows, in one block.
class EmbeddingRows : public ForwardLayer<float> {
 public:
  EmbeddingRows(const Layer& layout, const std::vector<float>& edges, LayerValues<float>& outputs,
                Parameters<float>& parameters);

  void lay_out_predictions(ArenaLayout& arena) override;
  void for_each_segment(const SegmentUse& use) const override { parameters_.for_each_segment(use); }
  void forward(const TilePass& pass) override;

 private:
  void embed(std::int64_t number, const float* features, std::int64_t count, float* outputs);

  EmbeddingParameters<float> parameters_;
  LayerValues<float>& outputs_;
  float *values_ = nullptr, *places_ = nullptr;  // of one input in some rows
  BinNumber<float>* bins_ = nullptr;
  EmbeddingKernels<float> kernels_ = embedding_kernels<float>();
};

}  // namespace sheaf
