// SPDX-License-Identifier: MIT
#include "engines/native/layers/dense_rows.hpp"

#include <algorithm>

namespace sheaf {
namespace {

// The inputs whose weight gradients are computed and used together: the number for which LIBXSMM's code is fastest.
constexpr std::int64_t group_inputs = 16;
static_assert(FeatureBlocks::width % group_inputs == 0);

}  // namespace

template <class Value>
DenseRows<Value>::DenseRows(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
                            Parameters<Value>& parameters, Scratch<Value>& scratch)
    : inputs_(inputs),
      outputs_(outputs),
      parameters_(parameters),
      scratch_(scratch),
      weights_(parameters.add_weights(inputs.cut.features * outputs.cut.total_columns())),
      table_(inputs, outputs, parameters, LevelTable<Value>::Order::rows) {
  if (layout.bias) bias_ = parameters.add(layout.outputs);
  inputs.needs_rows = true;
  outputs.source = LayerValues<Value>::Source::rows;
  scratch.widest = std::max(scratch.widest, outputs.cut.total_columns());
  scratch.largest_group = std::max(scratch.largest_group, group_inputs * outputs.cut.padded(0));
  scratch.transposes = scratch.transposes || inputs.source != LayerValues<Value>::Source::gathered;
}

template <class Value>
void DenseRows<Value>::for_each_segment(const SegmentUse& use) const {
  for (std::int64_t output = 0; output < outputs_.cut.features; ++output) {
    const std::int64_t block = outputs_.cut.block_of(output), padded = outputs_.cut.padded(block);
    const std::int64_t weights = block_weights(block) + output - block * FeatureBlocks::width;
    for_each_input_range(
        inputs_.cut.features, inputs_.codes,
        [&](IndexRange values) {
          use({weights + values.begin * padded, padded, values.count()});
        },
        [&](IndexRange levels) { use(table_.segment(levels, output)); });
  }
  if (bias_) use({*bias_, 1, outputs_.cut.features});
}

template <class Value>
BlockProducts<Value> DenseRows<Value>::products_of(std::int64_t output_block, std::int64_t block,
                                                   std::int64_t row_count) const {
  const std::int64_t outputs = outputs_.cut.padded(output_block);
  const std::int64_t inputs = inputs_.cut.columns(block), stride = inputs_.cut.padded(block);
  BlockProducts<Value> products;
  const bool adds = block > 0 || !table_.is_empty();
  products.forward = Product<Value>({outputs, row_count, inputs, outputs, stride, outputs, false, adds});
  products.set_weight_gradients(inputs, group_inputs, [&](std::int64_t group, bool accumulate) {
    return Product<Value>({outputs, group, row_count, outputs, stride, outputs, true, accumulate});
  });
  if (inputs_.source != LayerValues<Value>::Source::gathered)
    products.input_gradient = Product<Value>({row_count, inputs, outputs_.cut.columns(output_block), row_count, outputs,
                                              row_count, false, output_block > 0});
  return products;
}

template <class Value>
void DenseRows<Value>::reserve(std::int64_t row_count) {
  std::vector<BlockProducts<Value>> all;
  for (std::int64_t output_block = 0; output_block < outputs_.cut.count(); ++output_block)
    for (std::int64_t block = 0; block < inputs_.cut.count(); ++block)
      all.push_back(products_of(output_block, block, row_count));
  products_.push_back(std::move(all));
}

template <class Value>
void DenseRows<Value>::forward(const TilePass& pass) {
  if (inputs_.source == LayerValues<Value>::Source::columns) inputs_.fill_rows(pass.row_count);
  if (!table_.is_empty()) table_.forward(pass, outputs_.rows);
  const BlockProducts<Value>* products = products_[pass.shape].data();
  for (std::int64_t output_block = 0; output_block < outputs_.cut.count(); ++output_block) {
    const Value* weights = parameters_.at(block_weights(output_block));
    for (std::int64_t block = 0; block < inputs_.cut.count(); ++block)
      (products++)
          ->forward(weights + inputs_.cut.offset(block, outputs_.cut.padded(output_block)),
                    inputs_.rows + inputs_.cut.offset(block, pass.row_count),
                    outputs_.rows + outputs_.cut.offset(output_block, pass.row_count));
  }
}

template <class Value>
Value* DenseRows<Value>::backward(const TilePass& pass, Value* gradients, Value* spare) {
  if (inputs_.source != LayerValues<Value>::Source::gathered) propagate(pass, gradients, spare);
  update_weights(pass, gradients);
  if (!table_.is_empty()) table_.backward(pass, gradients);
  if (pass.updates && bias_) parameters_.update(parameters_.gradients_at(*bias_), *bias_, outputs_.cut.total_columns());
  return spare;
}

// Computes the gradients of the inputs. The products need the gradients of the outputs as columns.
template <class Value>
void DenseRows<Value>::propagate(const TilePass& pass, const Value* gradients, Value* input_gradients) const {
  const bool to_rows = inputs_.source == LayerValues<Value>::Source::rows;
  Value* columns = to_rows ? scratch_.transposed[1] : input_gradients;
  outputs_.to_columns(pass.row_count, gradients, scratch_.transposed[0]);
  const BlockProducts<Value>* products = products_[pass.shape].data();
  for (std::int64_t output_block = 0; output_block < outputs_.cut.count(); ++output_block) {
    const Value* weights = parameters_.at(block_weights(output_block));
    for (std::int64_t block = 0; block < inputs_.cut.count(); ++block)
      (products++)
          ->input_gradient(scratch_.transposed[0] + outputs_.cut.offset(output_block, pass.row_count),
                           weights + inputs_.cut.offset(block, outputs_.cut.padded(output_block)),
                           columns + inputs_.cut.offset(block, pass.row_count));
  }
  if (to_rows) inputs_.to_rows(pass.row_count, columns, input_gradients);
}

// Uses each group of gradients while it is in the cache. Gradients are written to memory only if the batch has several
// tiles or the update comes later.
template <class Value>
void DenseRows<Value>::update_weights(const TilePass& pass, const Value* gradients) {
  const bool whole = pass.tile->first && pass.updates;
  const BlockProducts<Value>* products = products_[pass.shape].data();
  for (std::int64_t output_block = 0; output_block < outputs_.cut.count(); ++output_block) {
    const std::int64_t padded = outputs_.cut.padded(output_block);
    const Value* output_gradients = gradients + outputs_.cut.offset(output_block, pass.row_count);
    for (std::int64_t block = 0; block < inputs_.cut.count(); ++block, ++products) {
      const Value* rows = inputs_.rows + inputs_.cut.offset(block, pass.row_count);
      const std::int64_t inputs = inputs_.cut.columns(block);
      std::int64_t offset = block_weights(output_block) + inputs_.cut.offset(block, padded);
      for (std::int64_t input = 0; input < inputs; input += group_inputs, offset += group_inputs * padded) {
        Value* to = whole ? scratch_.weight_gradients : parameters_.gradients_at(offset);
        products->weight_gradient_of(input + group_inputs >= inputs, !pass.tile->first)(output_gradients, rows + input,
                                                                                        to);
        if (pass.updates) parameters_.update(to, offset, std::min(group_inputs, inputs - input) * padded);
      }
    }
  }
}

template class DenseRows<float>;
template class DenseRows<double>;

}  // namespace sheaf
