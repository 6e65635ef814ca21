// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/index_range.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/native_layer.hpp"

namespace sheaf {

/// The weights of the one-hot encoded inputs of a dense layer. The weights of a row's levels are added up; with inputs
/// of 0 and 1, a product would give the same. Empty without such inputs; forward() and backward() are then not called.
template <class Value>
class LevelTable {
 public:
  /// rows: in blocks of outputs, [levels, padded]. columns: [outputs, padded levels], for very few outputs.
  enum class Order { rows, columns };

  /// `inputs` and `outputs`: of the dense layer.
  LevelTable(const LayerValues<Value>& inputs, const LayerValues<Value>& outputs, Parameters<Value>& parameters,
             Order order);

  bool is_empty() const { return inputs_.codes.empty(); }

  /// The weights of some levels for one output.
  Segment segment(IndexRange levels, std::int64_t output) const;

  /// Sets the outputs, in the order of the table, to the sums of the weights: row-major blocks or columns.
  void forward(const TilePass& pass, Value* outputs) const;

  /// Computes the gradients of the table from those of the outputs, in the same order, and updates the table if
  /// `pass.updates`.
  void backward(const TilePass& pass, const Value* gradients);

 private:
  // The weights that are contiguous: those of a block of outputs, or of one output.
  struct Part {
    std::int64_t offset = 0, count = 0, width = 0;  // width: by rows, the padded outputs
    std::int64_t outputs = 0;                       // offset of the outputs
  };
  std::int64_t part_count() const { return by_rows_ ? outputs_.cut.count() : outputs_.cut.features; }
  Part part(std::int64_t number, std::int64_t row_count) const;

  const LayerValues<Value>& inputs_;
  const LayerValues<Value>& outputs_;
  Parameters<Value>& parameters_;
  bool by_rows_;
  std::int64_t weights_ = 0;  // offset of the table
  EmbeddingKernels<Value> kernels_ = embedding_kernels<Value>();
};

}  // namespace sheaf
