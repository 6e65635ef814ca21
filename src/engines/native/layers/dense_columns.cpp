// SPDX-License-Identifier: MIT
#include "engines/native/layers/dense_columns.hpp"

#include <algorithm>

namespace sheaf {
namespace {

// The weight gradients of a group of outputs.
constexpr std::int64_t group_bytes = 32 << 10;

}  // namespace

template <class Value>
DenseColumns<Value>::DenseColumns(const Layer& layout, LayerValues<Value>& inputs, LayerValues<Value>& outputs,
                                  Parameters<Value>& parameters, Scratch<Value>& scratch)
    : inputs_(inputs),
      outputs_(outputs),
      parameters_(parameters),
      scratch_(scratch),
      weights_(parameters.add_weights(layout.outputs * inputs.cut.total_columns())),
      table_(inputs, outputs, parameters,
             is_narrow() ? LevelTable<Value>::Order::columns : LevelTable<Value>::Order::rows) {
  if (layout.bias) bias_ = parameters.add(layout.outputs);
  const std::int64_t row_bytes = inputs.cut.padded(0) * static_cast<std::int64_t>(sizeof(Value));
  group_ = row_bytes == 0 ? layout.outputs : std::min(layout.outputs, group_bytes / row_bytes);
  inputs.needs_columns = true;
  inputs.needs_rows = !is_narrow();
  outputs.source = LayerValues<Value>::Source::columns;
  scratch.widest = std::max(scratch.widest, outputs.cut.total_columns());
  scratch.largest_group = std::max(scratch.largest_group, group_ * inputs.cut.padded(0));
  scratch.transposes = scratch.transposes || !(table_.is_empty() || is_narrow());
}

template <class Value>
void DenseColumns<Value>::for_each_segment(const SegmentUse& use) const {
  const std::int64_t outputs = outputs_.cut.features;
  const FeatureBlocks& cut = inputs_.cut;
  for (std::int64_t output = 0; output < outputs; ++output)
    for_each_input_range(
        cut.features, inputs_.codes,
        [&](IndexRange values) {
          for (std::int64_t input = values.begin, end = 0; input < values.end; input = end) {
            const std::int64_t block = cut.block_of(input), first = block * FeatureBlocks::width;
            end = std::min(values.end, first + cut.columns(block));
            use({weights_ + cut.offset(block, outputs) + output * cut.padded(block) + input - first, 1, end - input});
          }
        },
        [&](IndexRange levels) { use(table_.segment(levels, output)); });
  if (bias_) use({*bias_, 1, outputs});
}

template <class Value>
BlockProducts<Value> DenseColumns<Value>::products_of(std::int64_t block, std::int64_t row_count) const {
  using Source = typename LayerValues<Value>::Source;
  const std::int64_t outputs = outputs_.cut.features;
  const std::int64_t columns = inputs_.cut.columns(block), padded = inputs_.cut.padded(block);
  BlockProducts<Value> products;
  if (inputs_.source == Source::rows)
    products.input_gradient = Product<Value>({padded, row_count, outputs, padded, row_count, padded, true, false});
  if (inputs_.source == Source::columns)
    products.input_gradient = Product<Value>({row_count, columns, outputs, row_count, padded, row_count, true, false});
  if (is_narrow()) return products;
  const bool adds = block > 0 || !table_.is_empty();
  products.forward = Product<Value>({row_count, outputs, columns, row_count, padded, row_count, false, adds});
  products.set_weight_gradients(outputs, group_, [&](std::int64_t group, bool accumulate) {
    return Product<Value>({padded, group, row_count, padded, row_count, padded, false, accumulate});
  });
  return products;
}

template <class Value>
void DenseColumns<Value>::reserve(std::int64_t row_count) {
  std::vector<BlockProducts<Value>> blocks;
  for (std::int64_t block = 0; block < inputs_.cut.count(); ++block) blocks.push_back(products_of(block, row_count));
  products_.push_back(std::move(blocks));
}

template <class Value>
void DenseColumns<Value>::forward(const TilePass& pass) {
  using Source = typename LayerValues<Value>::Source;
  const std::int64_t row_count = pass.row_count, outputs = outputs_.cut.features;
  const FeatureBlocks& cut = inputs_.cut;
  if (inputs_.source == Source::rows) inputs_.fill_columns(row_count);
  if (inputs_.source == Source::columns && pass.tile != nullptr && inputs_.needs_rows) inputs_.fill_rows(row_count);
  if (!table_.is_empty()) look_up(pass);
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const Value* columns = inputs_.columns + cut.offset(block, row_count);
    const Value* weights = parameters_.at(weights_ + cut.offset(block, outputs));
    if (is_narrow())
      kernels_.combine_columns(columns, cut.columns(block), row_count, weights, cut.padded(block), outputs,
                               block > 0 || !table_.is_empty(), outputs_.columns);
    else
      products_[pass.shape][static_cast<std::size_t>(block)].forward(columns, weights, outputs_.columns);
  }
}

template <class Value>
Value* DenseColumns<Value>::backward(const TilePass& pass, Value* gradients, Value* spare) {
  if (inputs_.source != LayerValues<Value>::Source::gathered) propagate(pass, gradients, spare);
  update_weights(pass, gradients);
  if (!table_.is_empty()) update_table(pass, gradients);
  if (pass.updates) update_bias();
  return spare;
}

// Computes the gradients of the inputs.
template <class Value>
void DenseColumns<Value>::propagate(const TilePass& pass, const Value* gradients, Value* input_gradients) const {
  const FeatureBlocks& cut = inputs_.cut;
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    const Value* weights = parameters_.at(weights_ + cut.offset(block, outputs_.cut.features));
    const auto& product = products_[pass.shape][static_cast<std::size_t>(block)].input_gradient;
    Value* to = input_gradients + cut.offset(block, pass.row_count);
    if (inputs_.source == LayerValues<Value>::Source::rows)
      product(weights, gradients, to);
    else
      product(gradients, weights, to);
  }
}

// Uses each group of gradients while it is in the cache. Gradients are written to memory only if the batch has several
// tiles or the update comes later.
template <class Value>
void DenseColumns<Value>::update_weights(const TilePass& pass, const Value* gradients) {
  const std::int64_t outputs = outputs_.cut.features;
  const bool whole = pass.tile->first && pass.updates;
  for (std::int64_t block = 0; block < inputs_.cut.count(); ++block) {
    const std::int64_t padded = inputs_.cut.padded(block);
    for (std::int64_t output = 0; output < outputs; output += group_) {
      const std::int64_t offset = weights_ + inputs_.cut.offset(block, outputs) + output * padded;
      Value* to = whole ? scratch_.weight_gradients : parameters_.gradients_at(offset);
      weight_gradient(pass, block, output, gradients + output * pass.row_count, to);
      if (pass.updates) parameters_.update(to, offset, std::min(group_, outputs - output) * padded);
    }
  }
}

template <class Value>
void DenseColumns<Value>::weight_gradient(const TilePass& pass, std::int64_t block, std::int64_t output,
                                          const Value* gradients, Value* to) const {
  const std::int64_t offset = inputs_.cut.offset(block, pass.row_count), outputs = outputs_.cut.features;
  const bool accumulate = !pass.tile->first;
  if (is_narrow()) {
    const std::int64_t columns = inputs_.cut.columns(block), padded = inputs_.cut.padded(block);
    kernels_.dot_columns(inputs_.columns + offset, columns, pass.row_count, gradients, outputs, accumulate, to, padded);
    for (std::int64_t narrow = 0; narrow < outputs; ++narrow)
      std::fill(to + narrow * padded + columns, to + (narrow + 1) * padded, Value{0});
  } else {
    const BlockProducts<Value>& products = products_[pass.shape][static_cast<std::size_t>(block)];
    products.weight_gradient_of(output + group_ >= outputs, accumulate)(inputs_.rows + offset, gradients, to);
  }
}

// Sets the outputs to the sums of the looked up weights.
template <class Value>
void DenseColumns<Value>::look_up(const TilePass& pass) const {
  if (is_narrow()) return table_.forward(pass, outputs_.columns);
  table_.forward(pass, scratch_.transposed[0]);
  outputs_.to_columns(pass.row_count, scratch_.transposed[0], outputs_.columns);
}

template <class Value>
void DenseColumns<Value>::update_table(const TilePass& pass, Value* gradients) {
  if (is_narrow()) return table_.backward(pass, gradients);
  outputs_.to_rows(pass.row_count, gradients, scratch_.transposed[0]);
  table_.backward(pass, scratch_.transposed[0]);
}

template <class Value>
void DenseColumns<Value>::update_bias() {
  if (bias_) parameters_.update(parameters_.gradients_at(*bias_), *bias_, outputs_.cut.total_columns());
}

template <class Value>
bool DenseColumns<Value>::can_train_in_one_pass() const {
  return inputs_.source == LayerValues<Value>::Source::gathered && is_narrow() && inputs_.cut.count() == 1;
}

template <class Value>
double DenseColumns<Value>::train_in_one_pass(const TilePass& pass, const OutputLoss<Value>& loss) {
  const std::int64_t padded = inputs_.cut.padded(0);
  Value* looked_up = table_.is_empty() ? nullptr : outputs_.columns;
  if (looked_up != nullptr) look_up(pass);
  const auto of_outputs = [&](const LossFunction& function, std::int64_t first, std::int64_t count) {
    const Value* bias = parameters_.shift(bias_);
    return linear_.loss(
        function,
        {inputs_.columns, inputs_.cut.columns(0), count, parameters_.at(weights_ + first * padded), padded,
         bias == nullptr ? nullptr : bias + first, looked_up == nullptr ? nullptr : looked_up + first * pass.row_count},
        loss.targets(first, pass.row_count), static_cast<Value>(pass.tile->gradient_scale), pass.row_count,
        !pass.tile->first, parameters_.gradients_at(weights_ + first * padded),
        parameters_.shift_gradients(bias_, scratch_.unused_sums) + first);
  };
  const double sum = loss.sum_over_outputs(of_outputs);
  if (looked_up != nullptr) update_table(pass, looked_up);
  if (!pass.updates) return sum;
  parameters_.update(parameters_.gradients_at(weights_), weights_, outputs_.cut.features * padded);
  update_bias();
  return sum;
}

template class DenseColumns<float>;
template class DenseColumns<double>;

}  // namespace sheaf
