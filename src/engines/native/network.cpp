// What a network holds: its memory, its products, its parameters and the rows at hand. network_passes.cpp computes.
// SPDX-License-Identifier: MIT
#include "engines/native/network.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {
namespace {

// Weight gradients are made in pieces and used up while they are in the first-level cache: by columns of about 32 KiB,
// by rows of so many inputs, for which LIBXSMM's code is at its best.
constexpr std::int64_t gradient_piece_bytes = 32 << 10;
constexpr std::int64_t gradient_piece_inputs = 16;
static_assert(FeatureBlocks::width % gradient_piece_inputs == 0);

// Vectors of outputs should be worth their padding, since products by rows are vectorised along them.
bool fills_vectors(std::int64_t outputs) {
  return 5 * outputs >= 4 * round_up(outputs, padding);
}

// Calls use(offset of stored parameters, their stride, count) for each run of the flat list that is stored evenly, in
// its order.
template <class Places, class Use>
void for_each_run(const Places& places, const Use& use) {
  for (const auto& place : places) {
    for (std::int64_t output = 0; output < place.layer.outputs; ++output) {
      const std::int64_t output_block = output / FeatureBlocks::width;
      if (place.by_rows)
        use(place.block_weights(output_block) + output % FeatureBlocks::width, place.outputs.padded(output_block),
            place.layer.inputs);
      else
        for (std::int64_t block = 0; block < place.inputs.count(); ++block)
          use(place.weights + place.inputs.offset(block, place.layer.outputs) + output * place.inputs.padded(block), 1,
              place.inputs.columns(block));
    }
    use(place.bias, 1, place.layer.bias_count());
  }
}

// Looks at all in between only if the ends say so.
bool follow_each_other(const std::int64_t* rows, std::int64_t count) {
  const std::int64_t first = rows[0];
  if (rows[count - 1] - first != count - 1) return false;
  std::int64_t differences = 0;
  for (std::int64_t place = 0; place < count; ++place) differences |= rows[place] - first - place;
  return differences == 0;
}

// Of `count` outputs or inputs, `chunk` at once; `make(how many, whether added to what is there)`.
template <class Products, class Make>
void set_weight_gradients(std::int64_t count, std::int64_t chunk, Products& products, const Make& make) {
  const std::int64_t last_chunk = count - (count - 1) / chunk * chunk;
  products.weight_gradient = make(chunk, false);
  products.last_weight_gradient = make(last_chunk, false);
  products.more_weight_gradient = make(chunk, true);
  products.more_last_weight_gradient = make(last_chunk, true);
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
NativeNetwork<Value>::NativeNetwork(const std::vector<Layer>& layers, const ModelOptions& model,
                                    const TrainOptions& train, std::int64_t most_rows)
    : model_(model), train_(train), updater_(train) {
  for (const Layer& layer : layers) {
    assert(layer.kind == Layer::Kind::dense);
    Place place;
    place.layer = layer;
    place.inputs.features = layer.inputs;
    place.outputs.features = layer.outputs;
    place.by_rows = &layer != &layers.back() && fills_vectors(layer.outputs);
    place.weights = parameter_count_;
    place.bias = place.weights + (place.by_rows ? layer.inputs * place.outputs.total_columns()
                                                : layer.outputs * place.inputs.total_columns());
    parameter_count_ = place.bias + round_up(layer.bias_count(), padding);
    const std::int64_t row_bytes = place.inputs.padded(0) * static_cast<std::int64_t>(sizeof(Value));
    place.chunk = place.by_rows ? gradient_piece_inputs : std::min(layer.outputs, gradient_piece_bytes / row_bytes);
    places_.push_back(place);
  }
  ArenaLayout sizes;
  lay_out(sizes, round_up(most_rows, padding));
  arena_ = Arena(sizes.bytes());
  ArenaLayout pieces(arena_.data());
  lay_out(pieces, round_up(most_rows, padding));
}

template <class Value>
void NativeNetwork<Value>::lay_out(ArenaLayout& arena, std::int64_t most_rows) {
  const std::int64_t output_count = places_.back().layer.outputs;
  std::int64_t widest = 0, largest_piece = 0;
  parameters_ = arena.take<Value>(parameter_count_);
  first_ = arena.take<Value>(parameter_count_);
  second_ = arena.take<Value>(parameter_count_);
  gradients_ = arena.take<Value>(parameter_count_);
  bool turns = false;
  for (Place& place : places_) {
    const std::int64_t values = place.inputs.total_columns() * most_rows;
    const bool is_first = &place == &places_.front();
    const bool comes_in_rows = !is_first && (&place)[-1].by_rows, comes_in_columns = !is_first && !comes_in_rows;
    if (place.wants_columns() || comes_in_columns) place.columns = arena.take<Value>(values);
    if (place.wants_rows() || comes_in_rows) place.rows = arena.take<Value>(values);
    if (!is_first) place.slopes = arena.take<Value>(values);
    turns = turns || (!is_first && place.by_rows);
    widest = std::max(widest, place.outputs.total_columns());
    largest_piece =
        std::max(largest_piece, place.chunk * (place.by_rows ? place.outputs.padded(0) : place.inputs.padded(0)));
  }
  weight_gradients_ = arena.take<Value>(largest_piece);
  unused_gradients_ = arena.take<Value>(widest);
  outputs_ = arena.take<Value>(output_count * most_rows);
  for (Value*& gradients : layer_gradients_) gradients = arena.take<Value>(widest * most_rows);
  for (Value*& gradients : turned_) gradients = turns ? arena.take<Value>(widest * most_rows) : nullptr;
  labels_ = arena.take<Value>(most_rows);
  targets_ = arena.take<Value>(output_count * most_rows);
  weights_ = arena.take<Value>(most_rows);
  if (model_.dropout > 0) {
    mask_ = arena.take<float>(widest * most_rows + padding);  // a row's last vector may end behind it
    keep_ = arena.take<float>(widest * most_rows);
  }
}

template <class Value>
typename NativeNetwork<Value>::BlockProducts NativeNetwork<Value>::products_by_columns(std::size_t index,
                                                                                       std::int64_t block,
                                                                                       std::int64_t row_count) const {
  const Place& place = places_[index];
  const std::int64_t outputs = place.layer.outputs;
  const std::int64_t columns = place.inputs.columns(block), padded = place.inputs.padded(block);
  BlockProducts products;
  if (index > 0) {
    products.input_gradient =
        places_[index - 1].by_rows
            ? Product<Value>({padded, row_count, outputs, padded, row_count, padded, true, false})
            : Product<Value>({row_count, columns, outputs, row_count, padded, row_count, true, false});
  }
  if (place.is_narrow()) return products;
  products.forward = Product<Value>({row_count, outputs, columns, row_count, padded, row_count, false, block > 0});
  set_weight_gradients(outputs, place.chunk, products, [&](std::int64_t chunk, bool accumulate) {
    return Product<Value>({padded, chunk, row_count, padded, row_count, padded, false, accumulate});
  });
  return products;
}

template <class Value>
typename NativeNetwork<Value>::BlockProducts NativeNetwork<Value>::products_by_rows(std::size_t index,
                                                                                    std::int64_t output_block,
                                                                                    std::int64_t block,
                                                                                    std::int64_t row_count) const {
  const Place& place = places_[index];
  const std::int64_t outputs = place.outputs.padded(output_block);
  const std::int64_t inputs = place.inputs.columns(block), stride = place.inputs.padded(block);
  BlockProducts products;
  products.forward = Product<Value>({outputs, row_count, inputs, outputs, stride, outputs, false, block > 0});
  set_weight_gradients(inputs, place.chunk, products, [&](std::int64_t chunk, bool accumulate) {
    return Product<Value>({outputs, chunk, row_count, outputs, stride, outputs, true, accumulate});
  });
  if (index > 0)
    products.input_gradient = Product<Value>({row_count, inputs, place.outputs.columns(output_block), row_count,
                                              outputs, row_count, false, output_block > 0});
  return products;
}

template <class Value>
void NativeNetwork<Value>::reserve(std::int64_t count) {
  const std::int64_t row_count = round_up(count, padding);
  for (const Pass& pass : passes_)
    if (pass.row_count == row_count) return;
  Pass pass{row_count, {}};
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const Place& place = places_[index];
    std::vector<BlockProducts> products;
    for (std::int64_t output_block = 0; output_block < (place.by_rows ? place.outputs.count() : 1); ++output_block)
      for (std::int64_t block = 0; block < place.inputs.count(); ++block)
        products.push_back(place.by_rows ? products_by_rows(index, output_block, block, row_count)
                                         : products_by_columns(index, block, row_count));
    pass.layers.push_back(std::move(products));
  }
  passes_.push_back(std::move(pass));
}

template <class Value>
const typename NativeNetwork<Value>::Pass& NativeNetwork<Value>::pass_of(std::int64_t row_count) const {
  const auto found = std::find_if(passes_.begin(), passes_.end(),
                                  [row_count](const Pass& pass) { return pass.row_count == row_count; });
  assert(found != passes_.end());
  return *found;
}

template <class Value>
void NativeNetwork<Value>::load(const std::vector<float>& weights, const DataSet& data, const FeatureScaling& scaling) {
  std::fill_n(parameters_, parameter_count_, Value{0});
  std::fill_n(first_, parameter_count_, Value{0});
  std::fill_n(second_, parameter_count_, Value{0});
  const float* from = weights.data();
  for_each_run(places_, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
    for (std::int64_t place = 0; place < count; ++place) parameters_[offset + place * stride] = *from++;
  });
  assert(from == weights.data() + weights.size());

  const bool scaled = !scaling.shift.empty();
  source_.shift = scaled ? scaling.shift.data() : nullptr;
  source_.scale = scaled ? scaling.scale.data() : nullptr;
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
  for_each_run(places_, [&](std::int64_t offset, std::int64_t stride, std::int64_t count) {
    for (std::int64_t place = 0; place < count; ++place)
      flat.push_back(static_cast<float>(parameters_[offset + place * stride]));
  });
  return flat;
}

template <class Value>
void NativeNetwork<Value>::gather(const std::int64_t* rows, std::int64_t count, bool weighted) {
  pass_ = &pass_of(round_up(count, padding));
  count_ = count;
  const Place& first = places_.front();
  const bool in_order = follow_each_other(rows, count);
  move_.gather(in_order ? from_row(source_, rows[0]) : source_, in_order ? nullptr : rows, count, pass_->row_count,
               first.rows, first.columns);
  gather_targets(rows, count, in_order);
  gather_weights(rows, count, weighted);
}

template <class Value>
void NativeNetwork<Value>::gather_targets(const std::int64_t* rows, std::int64_t count, bool in_order) {
  const std::int64_t row_count = pass_->row_count, output_count = data_->output_count;
  if (data_->task == Task::regression) {
    for (std::int64_t output = 0; output < output_count; ++output) {
      const float* from = data_->targets + output;
      Value* to = targets_ + output * row_count;
      if (in_order && output_count == 1)
        std::copy_n(from + rows[0], count, to);
      else
        for (std::int64_t place = 0; place < count; ++place)
          to[place] = static_cast<Value>(from[rows[place] * output_count]);
    }
  } else if (train_.loss == LossKind::cross_entropy) {
    for (std::int64_t place = 0; place < count; ++place)
      labels_[place] = static_cast<Value>(data_->labels[rows[place]]);
  } else {
    std::fill_n(targets_, output_count * row_count, Value{0});
    for (std::int64_t place = 0; place < count; ++place) targets_[data_->labels[rows[place]] * row_count + place] = 1;
  }
}

template <class Value>
void NativeNetwork<Value>::gather_weights(const std::int64_t* rows, std::int64_t count, bool weighted) {
  const bool plain = !weighted || data_->weights == nullptr;
  if (plain && ones_ == count) return;
  if (plain)
    std::fill_n(weights_, count, Value{1});
  else
    std::transform(rows, rows + count, weights_,
                   [this](std::int64_t row) { return static_cast<Value>(data_->weights[row]); });
  std::fill(weights_ + count, weights_ + pass_->row_count, Value{0});
  ones_ = plain ? count : 0;
}

template class NativeNetwork<float>;
template class NativeNetwork<double>;

}  // namespace sheaf
