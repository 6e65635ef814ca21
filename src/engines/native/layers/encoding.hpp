// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "data/feature_edges.hpp"
#include "data/feature_scaling.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"
#include "engines/native/layers/scratch.hpp"
#include "models/layer.hpp"

namespace sheaf {

/// What training and predictions of an encoding have in common: the places of its outputs and parameters, and the bins
/// of its piecewise features.
template <class Value>
class EncodingParameters {
 public:
  /// Sets the features and the codes of `outputs`.
  EncodingParameters(const Layer& layout, LayerValues<Value>& outputs, Parameters<Value>& parameters);

  /// Takes edges and replacements.
  void set_scaling(const FeatureScaling& scaling);

  const Layer& layout() const { return layout_; }
  const std::vector<EncodedFeature>& features() const { return layout_.features; }

  /// The first output of feature `number` among those that are stored as values; that of a one-hot encoded feature
  /// among the codes.
  std::int64_t place_of(std::size_t number) const { return places_[number]; }

  void for_each_segment(const SegmentUse& use) const;

  /// What replaces the empty cells of a feature that may have some.
  Value replacement_of(const EncodedFeature& feature) const {
    return replacements_[static_cast<std::size_t>(feature.feature)];
  }
  /// A number without its empty cells.
  Value number_of(const EncodedFeature& feature, Value value) const {
    return feature.may_be_empty && std::isnan(value) ? replacement_of(feature) : value;
  }

  /// Of piecewise feature `number`.
  EmbeddingBins<Value> bins_of(std::int64_t number) const;
  EmbeddingWeights<Value> weights_of(std::int64_t number) const;
  /// The rows of a feature that is looked up.
  const Value* table_of(const EncodedFeature& feature) const { return parameters_.at(offset_of(feature)); }

  void clear_gradients() const;
  /// `unused`: takes the gradients of biases that do not exist.
  EmbeddingGradients<Value> gradients_of(std::int64_t number, Value* unused) const;
  Value* table_gradients_of(const EncodedFeature& feature) const {
    return parameters_.gradients_at(offset_of(feature));
  }
  void update() const;

 private:
  // The first weight of a feature.
  std::int64_t offset_of(const EncodedFeature& feature) const { return weights_ + feature.first_row * embedding_width; }
  const EncodedFeature& piecewise(std::int64_t number) const {
    return layout_.features[static_cast<std::size_t>(number)];
  }

  Layer layout_;
  Parameters<Value>& parameters_;
  std::vector<std::int64_t> places_;
  std::int64_t weights_ = 0;  // offset of the weights
  ShiftOffset bias_;
  FeatureBins<Value> bins_;
  std::vector<Value> replacements_;         // FeatureScaling::replacements
  std::vector<std::int64_t> inner_counts_;  // of the inner edges that are not infinite
};

/// An encoding in training: the first layer. It reads its inputs as columns. Outputs without parameters are written in
/// all layouts that the next layer reads, otherwise by rows; one-hot encoded features are levels. Bins, places and
/// levels are kept for the backward pass.
template <class Value>
class EncodingLayer : public TrainedLayer<Value> {
 public:
  EncodingLayer(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
                Parameters<Value>& parameters, Scratch<Value>& scratch);

  /// Sets the scaling of the next trainings. The only function of a layer that allocates besides the constructor and
  /// reserve().
  void set_scaling(const FeatureScaling& scaling) { parameters_.set_scaling(scaling); }

  void lay_out(ArenaLayout& arena, std::int64_t max_rows) override;
  void for_each_segment(const SegmentUse& use) const override { parameters_.for_each_segment(use); }
  void forward(const TilePass& pass) override;
  Value* backward(const TilePass& pass, Value* gradients, Value* spare) override;

 private:
  // The values of a feature, without empty cells if it may have some.
  const Value* column_of(const EncodedFeature& feature, std::int64_t row_count) const;
  EmbeddedValues<Value> values_of(std::int64_t number, std::int64_t row_count) const;
  void embed(std::int64_t number, std::int64_t row_count);
  void take_empty_cells(std::int64_t row_count);
  const Value* single_output(std::int64_t number, std::int64_t row_count) const;
  void write_levels(std::int64_t row_count);
  void write_rows(std::int64_t number, std::int64_t row_count);
  void write_columns(std::int64_t row_count);

  EncodingParameters<Value> parameters_;
  LayerValues<Value>& inputs_;
  LayerValues<Value>& outputs_;
  Scratch<Value>& scratch_;
  BinNumber<Value>* bins_ =
      nullptr;               // of piecewise features, then levels of those that are looked up, [row_count] each
  Value* places_ = nullptr;  // of piecewise features, [row_count] each
  // Of features that may be empty, [row_count] each: the values with 0 in empty cells; 1 in empty cells and 0 in
  // others. The inputs stay as they are, because a tile may be used again.
  Value *filled_ = nullptr, *empty_ = nullptr;
  std::vector<std::int64_t> places_of_empty_;  // of each input among these features
  EmbeddingKernels<Value> kernels_ = embedding_kernels<Value>();
};

/// An encoding for predictions. It reads `pass.features`. Outputs are by rows, in one block, and levels.
class EncodingRows : public ForwardLayer<float> {
 public:
  EncodingRows(const Layer& layout, const FeatureScaling& scaling, LayerValues<float>& outputs,
               Parameters<float>& parameters);

  void lay_out_predictions(ArenaLayout& arena) override;
  void for_each_segment(const SegmentUse& use) const override { parameters_.for_each_segment(use); }
  void forward(const TilePass& pass) override;

 private:
  void embed(std::int64_t number, const float* features, std::int64_t count, float* outputs);
  void encode(std::size_t number, float value, float* outputs, BinNumber<float>* levels) const;

  EncodingParameters<float> parameters_;
  LayerValues<float>& outputs_;
  float *values_ = nullptr, *places_ = nullptr;  // of one feature in some rows
  BinNumber<float>* bins_ = nullptr;
  EmbeddingKernels<float> kernels_ = embedding_kernels<float>();
};

}  // namespace sheaf
