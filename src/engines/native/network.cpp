// The data of a network: memory, products, parameters and the current tile. The passes are in network_passes.cpp.
// SPDX-License-Identifier: MIT
#include "engines/native/network.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {
namespace {

// Weight gradients are computed in groups that are used while they are in the first-level cache. In layers by columns,
// a group has about 32 KiB. In layers by rows, it has a fixed number of inputs, for which LIBXSMM's code is fastest.
constexpr std::int64_t gradient_group_bytes = 32 << 10;
constexpr std::int64_t gradient_group_inputs = 16;
static_assert(FeatureBlocks::width % gradient_group_inputs == 0);

// Whether padding adds at most a quarter to the outputs. Products by rows are vectorized along the outputs.
bool fills_vectors(std::int64_t outputs) {
  return 5 * outputs >= 4 * round_up(outputs, padding);
}

// Calls use(offset, stride, count) for each segment of the flat list, in order. The offset and stride are those of the
// stored parameters.
template <class Layers, class Use>
void for_each_segment(const Layers& layers, const Use& use) {
  for (const auto& layer : layers) {
    for (std::int64_t output = 0; output < layer.layout.outputs; ++output) {
      const std::int64_t output_block = output / FeatureBlocks::width;
      if (layer.by_rows)
        use(layer.block_weights(output_block) + output % FeatureBlocks::width, layer.outputs.padded(output_block),
            layer.layout.inputs);
      else
        for (std::int64_t block = 0; block < layer.inputs.count(); ++block)
          use(layer.weights + layer.inputs.offset(block, layer.layout.outputs) + output * layer.inputs.padded(block), 1,
              layer.inputs.columns(block));
    }
    use(layer.bias, 1, layer.layout.bias_count());
  }
}

// Whether the row numbers are consecutive. Checks all of them only if the first and the last one fit.
bool are_consecutive(const std::int64_t* rows, std::int64_t count) {
  const std::int64_t first = rows[0];
  if (rows[count - 1] - first != count - 1) return false;
  std::int64_t differences = 0;
  for (std::int64_t index = 0; index < count; ++index) differences |= rows[index] - first - index;
  return differences == 0;
}

// Sets the weight gradient products for `count` outputs or inputs in groups of `group`. make(size, accumulate) makes a
// product.
template <class Products, class Make>
void set_weight_gradients(std::int64_t count, std::int64_t group, Products& products, const Make& make) {
  const std::int64_t last_group = count - (count - 1) / group * group;
  products.weight_gradient = make(group, false);
  products.last_weight_gradient = make(last_group, false);
  products.more_weight_gradient = make(group, true);
  products.more_last_weight_gradient = make(last_group, true);
}

RowSource from_row(RowSource source, std::int64_t row) {
  if (source.features != nullptr)
    source.features += row * source.feature_count;
  else
    source.bytes += row * source.feature_count;
  return source;
}

}  // namespace

template <class Value>
NativeNetwork<Value>::NativeNetwork(const std::vector<Layer>& layers, bool drops, std::int64_t max_rows)
    : drops_(drops) {
  for (const Layer& layer : layers) {
    assert(layer.kind == Layer::Kind::dense);
    LayerMemory memory;
    memory.layout = layer;
    memory.inputs.features = layer.inputs;
    memory.outputs.features = layer.outputs;
    memory.by_rows = &layer != &layers.back() && fills_vectors(layer.outputs);
    memory.weights = parameter_count_;
    memory.bias = memory.weights + (memory.by_rows ? layer.inputs * memory.outputs.total_columns()
                                                   : layer.outputs * memory.inputs.total_columns());
    parameter_count_ = memory.bias + round_up(layer.bias_count(), padding);
    const std::int64_t row_bytes = memory.inputs.padded(0) * static_cast<std::int64_t>(sizeof(Value));
    memory.group = memory.by_rows ? gradient_group_inputs : std::min(layer.outputs, gradient_group_bytes / row_bytes);
    layers_.push_back(memory);
  }
  ArenaLayout sizes;
  lay_out(sizes, round_up(max_rows, padding));
  arena_ = Arena(sizes.bytes());
  ArenaLayout arrays(arena_.data());
  lay_out(arrays, round_up(max_rows, padding));
}

template <class Value>
void NativeNetwork<Value>::set_options(const ModelOptions& model, const TrainOptions& train) {
  assert(drops_ || model.dropout == 0);
  dropout_ = model.dropout;
  function_ = model.activation;
  loss_kind_ = train.loss;
  updater_.emplace(train);
}

template <class Value>
void NativeNetwork<Value>::lay_out(ArenaLayout& arena, std::int64_t max_rows) {
  const std::int64_t output_count = layers_.back().layout.outputs;
  std::int64_t widest = 0, largest_group = 0;
  parameters_ = arena.take<Value>(parameter_count_);
  first_ = arena.take<Value>(parameter_count_);
  second_ = arena.take<Value>(parameter_count_);
  gradients_ = arena.take<Value>(parameter_count_);
  bool transposes = false;
  for (LayerMemory& layer : layers_) {
    const std::int64_t values = layer.inputs.total_columns() * max_rows;
    const bool is_first = &layer == &layers_.front();
    const bool comes_in_rows = !is_first && (&layer)[-1].by_rows, comes_in_columns = !is_first && !comes_in_rows;
    if (layer.needs_columns() || comes_in_columns) layer.columns = arena.take<Value>(values);
    if (layer.needs_rows() || comes_in_rows) layer.rows = arena.take<Value>(values);
    if (!is_first) layer.slopes = arena.take<Value>(values);
    transposes = transposes || (!is_first && layer.by_rows);
    widest = std::max(widest, layer.outputs.total_columns());
    largest_group =
        std::max(largest_group, layer.group * (layer.by_rows ? layer.outputs.padded(0) : layer.inputs.padded(0)));
  }
  weight_gradients_ = arena.take<Value>(largest_group);
  unused_gradients_ = arena.take<Value>(widest);
  outputs_ = arena.take<Value>(output_count * max_rows);
  for (Value*& gradients : layer_gradients_) gradients = arena.take<Value>(widest * max_rows);
  for (Value*& gradients : transposed_) gradients = transposes ? arena.take<Value>(widest * max_rows) : nullptr;
  labels_ = arena.take<Value>(max_rows);
  targets_ = arena.take<Value>(output_count * max_rows);
  weights_ = arena.take<Value>(max_rows);
  if (drops_) {
    mask_ = arena.take<float>(widest * max_rows + padding);  // the last vector of a row may extend beyond it
    keep_ = arena.take<float>(widest * max_rows);
  }
}

template <class Value>
typename NativeNetwork<Value>::BlockProducts NativeNetwork<Value>::products_by_columns(std::size_t index,
                                                                                       std::int64_t block,
                                                                                       std::int64_t row_count) const {
  const LayerMemory& layer = layers_[index];
  const std::int64_t outputs = layer.layout.outputs;
  const std::int64_t columns = layer.inputs.columns(block), padded = layer.inputs.padded(block);
  BlockProducts products;
  if (index > 0) {
    products.input_gradient =
        layers_[index - 1].by_rows
            ? Product<Value>({padded, row_count, outputs, padded, row_count, padded, true, false})
            : Product<Value>({row_count, columns, outputs, row_count, padded, row_count, true, false});
  }
  if (layer.is_narrow()) return products;
  products.forward = Product<Value>({row_count, outputs, columns, row_count, padded, row_count, false, block > 0});
  set_weight_gradients(outputs, layer.group, products, [&](std::int64_t group, bool accumulate) {
    return Product<Value>({padded, group, row_count, padded, row_count, padded, false, accumulate});
  });
  return products;
}

template <class Value>
typename NativeNetwork<Value>::BlockProducts NativeNetwork<Value>::products_by_rows(std::size_t index,
                                                                                    std::int64_t output_block,
                                                                                    std::int64_t block,
                                                                                    std::int64_t row_count) const {
  const LayerMemory& layer = layers_[index];
  const std::int64_t outputs = layer.outputs.padded(output_block);
  const std::int64_t inputs = layer.inputs.columns(block), stride = layer.inputs.padded(block);
  BlockProducts products;
  products.forward = Product<Value>({outputs, row_count, inputs, outputs, stride, outputs, false, block > 0});
  set_weight_gradients(inputs, layer.group, products, [&](std::int64_t group, bool accumulate) {
    return Product<Value>({outputs, group, row_count, outputs, stride, outputs, true, accumulate});
  });
  if (index > 0)
    products.input_gradient = Product<Value>({row_count, inputs, layer.outputs.columns(output_block), row_count,
                                              outputs, row_count, false, output_block > 0});
  return products;
}

template <class Value>
void NativeNetwork<Value>::reserve(std::int64_t count) {
  const std::int64_t row_count = round_up(count, padding);
  for (const TileProducts& known : tile_products_)
    if (known.row_count == row_count) return;
  TileProducts all{row_count, {}};
  for (std::size_t index = 0; index < layers_.size(); ++index) {
    const LayerMemory& layer = layers_[index];
    std::vector<BlockProducts> products;
    for (std::int64_t output_block = 0; output_block < (layer.by_rows ? layer.outputs.count() : 1); ++output_block)
      for (std::int64_t block = 0; block < layer.inputs.count(); ++block)
        products.push_back(layer.by_rows ? products_by_rows(index, output_block, block, row_count)
                                         : products_by_columns(index, block, row_count));
    all.layers.push_back(std::move(products));
  }
  tile_products_.push_back(std::move(all));
}

template <class Value>
const typename NativeNetwork<Value>::TileProducts& NativeNetwork<Value>::products_for(std::int64_t row_count) const {
  const auto found =
      std::find_if(tile_products_.begin(), tile_products_.end(),
                   [row_count](const TileProducts& products) { return products.row_count == row_count; });
  assert(found != tile_products_.end());
  return *found;
}

template <class Value>
void NativeNetwork<Value>::load(const std::vector<float>& weights, const DataSet& data, const Split& split) {
  std::fill_n(parameters_, parameter_count_, Value{0});
  std::fill_n(first_, parameter_count_, Value{0});
  std::fill_n(second_, parameter_count_, Value{0});
  const float* from = weights.data();
  for_each_segment(layers_, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index) parameters_[offset + index * stride] = *from++;
  });
  assert(from == weights.data() + weights.size());

  const FeatureScaling& scaling = split.scaling;
  const bool scaled = !scaling.shift.empty();
  source_.shift = scaled ? scaling.shift.data() : nullptr;
  source_.scale = scaled ? scaling.scale.data() : nullptr;
  source_.clip = scaling.clip.empty() ? nullptr : scaling.clip.data();
  source_.fill = data.has_empty_cells() ? scaling.fill.data() : nullptr;
  target_scaling_ = &split.target_scaling;
  read_from(data);
}

template <class Value>
void NativeNetwork<Value>::save(ByteWriter& state) const {
  for (const Value* values : {parameters_, first_, second_}) state.put_array(values, parameter_count_);
}

template <class Value>
void NativeNetwork<Value>::restore(ByteReader& state) {
  for (Value* values : {parameters_, first_, second_}) state.get_array(values, parameter_count_);
}

template <class Value>
void NativeNetwork<Value>::read_from(const DataSet& data) {
  data_ = &data;
  source_.features = data.features;
  source_.bytes = data.byte_features;
  source_.feature_count = data.feature_count;
}

template <class Value>
std::vector<float> NativeNetwork<Value>::parameters() const {
  std::vector<float> flat;
  for_each_segment(layers_, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index)
      flat.push_back(static_cast<float>(parameters_[offset + index * stride]));
  });
  return flat;
}

template <class Value>
void NativeNetwork<Value>::gather(const std::int64_t* rows, std::int64_t count, bool weighted) {
  products_ = &products_for(round_up(count, padding));
  count_ = count;
  const LayerMemory& first = layers_.front();
  const bool in_order = are_consecutive(rows, count);
  move_.gather(in_order ? from_row(source_, rows[0]) : source_, in_order ? nullptr : rows, count, products_->row_count,
               first.rows, first.columns);
  gather_targets(rows, count, in_order);
  gather_weights(rows, count, weighted);
}

template <class Value>
void NativeNetwork<Value>::gather_targets(const std::int64_t* rows, std::int64_t count, bool in_order) {
  const std::int64_t row_count = products_->row_count, output_count = data_->output_count;
  if (data_->task == Task::regression) {
    for (std::int64_t output = 0; output < output_count; ++output) {
      const float* from = data_->targets + output;
      Value* to = targets_ + output * row_count;
      if (target_scaling_->is_active())
        for (std::int64_t index = 0; index < count; ++index)
          to[index] = target_scaling_->scaled<Value>(from[rows[index] * output_count], output);
      else if (in_order && output_count == 1)
        std::copy_n(from + rows[0], count, to);
      else
        for (std::int64_t index = 0; index < count; ++index)
          to[index] = static_cast<Value>(from[rows[index] * output_count]);
    }
  } else if (loss_kind_ == LossKind::cross_entropy) {
    for (std::int64_t index = 0; index < count; ++index)
      labels_[index] = static_cast<Value>(data_->labels[rows[index]]);
  } else {
    std::fill_n(targets_, output_count * row_count, Value{0});
    for (std::int64_t index = 0; index < count; ++index) targets_[data_->labels[rows[index]] * row_count + index] = 1;
  }
}

template <class Value>
void NativeNetwork<Value>::gather_weights(const std::int64_t* rows, std::int64_t count, bool weighted) {
  const bool plain = !weighted || data_->weights == nullptr;
  if (plain && unit_weights_ == count) return;
  if (plain)
    std::fill_n(weights_, count, Value{1});
  else
    std::transform(rows, rows + count, weights_,
                   [this](std::int64_t row) { return static_cast<Value>(data_->weights[row]); });
  std::fill(weights_ + count, weights_ + products_->row_count, Value{0});
  unit_weights_ = plain ? count : 0;
}

template class NativeNetwork<float>;
template class NativeNetwork<double>;

}  // namespace sheaf
