// What a network holds: its memory, its products, its parameters and the rows at hand. network_passes.cpp computes.
// SPDX-License-Identifier: MIT
#include "engine/resident/network.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {
namespace {

// Weight gradients are made in pieces of about 32 KiB and used up while they are in the first-level cache.
constexpr std::int64_t gradient_piece_bytes = 32 << 10;

// Calls use(offset of stored parameters, count) for each run of the flat list that is stored in one piece, in its
// order.
template <class Places, class Use>
void for_each_run(const Places& places, const Use& use) {
  for (const auto& place : places) {
    for (std::int64_t output = 0; output < place.layer.outputs; ++output)
      for (std::int64_t block = 0; block < place.blocks.count(); ++block)
        use(place.weights + place.blocks.offset(block, place.layer.outputs) + output * place.blocks.padded(block),
            place.blocks.columns(block));
    use(place.bias, place.layer.bias_count());
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

RowSource from_row(RowSource source, std::int64_t row) {
  if (source.features != nullptr)
    source.features += row * source.feature_count;
  else
    source.bytes += row * source.feature_count;
  return source;
}

}  // namespace

template <class Value>
ResidentNetwork<Value>::ResidentNetwork(const std::vector<Layer>& layers, const ModelOptions& model,
                                        const TrainOptions& train, std::int64_t most_rows, std::int64_t slot_count)
    : model_(model), train_(train), updater_(train), slots_(static_cast<std::size_t>(slot_count)) {
  for (const Layer& layer : layers) {
    assert(layer.kind == Layer::Kind::dense);
    Place place;
    place.layer = layer;
    place.blocks.features = layer.inputs;
    place.weights = parameter_count_;
    place.bias = place.weights + layer.outputs * place.blocks.total_columns();
    parameter_count_ = place.bias + round_up(layer.bias_count(), padding);
    const std::int64_t row_bytes = place.blocks.padded(0) * static_cast<std::int64_t>(sizeof(Value));
    place.chunk = std::min(layer.outputs, gradient_piece_bytes / row_bytes);
    places_.push_back(place);
  }
  ArenaLayout sizes;
  lay_out(sizes, round_up(most_rows, padding));
  arena_ = Arena(sizes.bytes());
  ArenaLayout pieces(arena_.data());
  lay_out(pieces, round_up(most_rows, padding));
  select(0);
}

template <class Value>
void ResidentNetwork<Value>::lay_out(ArenaLayout& arena, std::int64_t most_rows) {
  const std::int64_t output_count = places_.back().layer.outputs;
  std::int64_t widest = 0, largest_piece = 0;
  parameters_ = arena.take<Value>(parameter_count_);
  first_ = arena.take<Value>(parameter_count_);
  second_ = arena.take<Value>(parameter_count_);
  gradients_ = arena.take<Value>(parameter_count_);
  for (Place& place : places_) {
    if (&place != &places_.front()) {
      const std::int64_t columns = place.blocks.total_columns();
      place.columns = arena.take<Value>(columns * most_rows);
      place.rows = arena.take<Value>(columns * most_rows);
      place.slopes = arena.take<Value>(columns * most_rows);
    }
    widest = std::max(widest, round_up(place.layer.outputs, padding));
    largest_piece = std::max(largest_piece, place.chunk * place.blocks.padded(0));
  }
  weight_gradients_ = arena.take<Value>(largest_piece);
  unused_gradients_ = arena.take<Value>(widest);
  outputs_ = arena.take<Value>(output_count * most_rows);
  for (Value*& gradients : layer_gradients_) gradients = arena.take<Value>(widest * most_rows);
  for (Slot& slot : slots_) lay_out(slot, arena, most_rows);
  if (model_.dropout > 0) {
    mask_ = arena.take<float>(widest * most_rows);
    keep_ = arena.take<float>(widest * most_rows);
  }
}

template <class Value>
void ResidentNetwork<Value>::lay_out(Slot& slot, ArenaLayout& arena, std::int64_t most_rows) const {
  const Place& first = places_.front();
  slot.columns = arena.take<Value>(first.blocks.total_columns() * most_rows);
  if (!is_narrow(first)) slot.rows = arena.take<Value>(first.blocks.total_columns() * most_rows);
  slot.labels = arena.take<Value>(most_rows);
  slot.targets = arena.take<Value>(places_.back().layer.outputs * most_rows);
  slot.weights = arena.take<Value>(most_rows);
}

template <class Value>
typename ResidentNetwork<Value>::BlockProducts ResidentNetwork<Value>::make_products(const Place& place,
                                                                                     std::int64_t block,
                                                                                     std::int64_t row_count) const {
  const std::int64_t outputs = place.layer.outputs;
  const std::int64_t columns = place.blocks.columns(block), padded = place.blocks.padded(block);
  BlockProducts products;
  if (place.slopes != nullptr)
    products.input_gradient = Product<Value>({row_count, columns, outputs, row_count, padded, row_count, true, false});
  if (is_narrow(place)) return products;
  products.forward = Product<Value>({row_count, outputs, columns, row_count, padded, row_count, false, block > 0});
  const auto gradient = [&](std::int64_t chunk, bool accumulate) {
    return Product<Value>({padded, chunk, row_count, padded, row_count, padded, false, accumulate});
  };
  const std::int64_t last_chunk = outputs - (outputs - 1) / place.chunk * place.chunk;
  products.weight_gradient = gradient(place.chunk, false);
  products.last_weight_gradient = gradient(last_chunk, false);
  products.more_weight_gradient = gradient(place.chunk, true);
  products.more_last_weight_gradient = gradient(last_chunk, true);
  return products;
}

template <class Value>
void ResidentNetwork<Value>::reserve(std::int64_t count) {
  const std::int64_t row_count = round_up(count, padding);
  for (const Pass& pass : passes_)
    if (pass.row_count == row_count) return;
  Pass pass{row_count, {}};
  for (const Place& place : places_) {
    std::vector<BlockProducts> products;
    for (std::int64_t block = 0; block < place.blocks.count(); ++block)
      products.push_back(make_products(place, block, row_count));
    pass.layers.push_back(std::move(products));
  }
  passes_.push_back(std::move(pass));
}

template <class Value>
const typename ResidentNetwork<Value>::Pass& ResidentNetwork<Value>::pass_of(std::int64_t row_count) const {
  const auto found = std::find_if(passes_.begin(), passes_.end(),
                                  [row_count](const Pass& pass) { return pass.row_count == row_count; });
  assert(found != passes_.end());
  return *found;
}

template <class Value>
void ResidentNetwork<Value>::load(const std::vector<float>& weights, const DataSet& data,
                                  const FeatureScaling& scaling) {
  std::fill_n(parameters_, parameter_count_, Value{0});
  std::fill_n(first_, parameter_count_, Value{0});
  std::fill_n(second_, parameter_count_, Value{0});
  const float* from = weights.data();
  for_each_run(places_, [&](std::int64_t offset, std::int64_t count) {
    std::copy_n(from, count, parameters_ + offset);
    from += count;
  });
  assert(from == weights.data() + weights.size());

  const bool scaled = !scaling.shift.empty();
  source_.shift = scaled ? scaling.shift.data() : nullptr;
  source_.scale = scaled ? scaling.scale.data() : nullptr;
  read_from(data);
}

template <class Value>
void ResidentNetwork<Value>::save(ByteWriter& state) const {
  for (const Value* values : {parameters_, first_, second_}) state.put_array(values, parameter_count_);
}

template <class Value>
void ResidentNetwork<Value>::restore(ByteReader& state) {
  for (Value* values : {parameters_, first_, second_}) state.get_array(values, parameter_count_);
}

template <class Value>
void ResidentNetwork<Value>::read_from(const DataSet& data) {
  data_ = &data;
  source_.features = data.features;
  source_.bytes = data.byte_features;
  source_.feature_count = data.feature_count;
}

template <class Value>
std::vector<float> ResidentNetwork<Value>::parameters() const {
  std::vector<float> flat;
  for_each_run(places_, [&](std::int64_t offset, std::int64_t count) {
    for (const Value* value = parameters_ + offset; value != parameters_ + offset + count; ++value)
      flat.push_back(static_cast<float>(*value));
  });
  return flat;
}

template <class Value>
void ResidentNetwork<Value>::select(std::int64_t slot) {
  slot_ = &slots_[static_cast<std::size_t>(slot)];
  places_.front().columns = slot_->columns;
  places_.front().rows = slot_->rows;
  pass_ = slot_->count == 0 ? nullptr : &pass_of(round_up(slot_->count, padding));
}

template <class Value>
void ResidentNetwork<Value>::gather(const std::int64_t* rows, std::int64_t count, bool weighted) {
  pass_ = &pass_of(round_up(count, padding));
  slot_->count = count;
  const Place& first = places_.front();
  const bool in_order = follow_each_other(rows, count);
  move_.gather(in_order ? from_row(source_, rows[0]) : source_, in_order ? nullptr : rows, count, pass_->row_count,
               first.rows, first.columns);
  gather_targets(rows, count, in_order);
  gather_weights(rows, count, weighted);
}

template <class Value>
void ResidentNetwork<Value>::gather_targets(const std::int64_t* rows, std::int64_t count, bool in_order) {
  const std::int64_t row_count = pass_->row_count, output_count = data_->output_count;
  if (data_->task == Task::regression) {
    for (std::int64_t output = 0; output < output_count; ++output) {
      const float* from = data_->targets + output;
      Value* to = slot_->targets + output * row_count;
      if (in_order && output_count == 1)
        std::copy_n(from + rows[0], count, to);
      else
        for (std::int64_t place = 0; place < count; ++place)
          to[place] = static_cast<Value>(from[rows[place] * output_count]);
    }
  } else if (train_.loss == LossKind::cross_entropy) {
    for (std::int64_t place = 0; place < count; ++place)
      slot_->labels[place] = static_cast<Value>(data_->labels[rows[place]]);
  } else {
    std::fill_n(slot_->targets, output_count * row_count, Value{0});
    for (std::int64_t place = 0; place < count; ++place)
      slot_->targets[data_->labels[rows[place]] * row_count + place] = 1;
  }
}

template <class Value>
void ResidentNetwork<Value>::gather_weights(const std::int64_t* rows, std::int64_t count, bool weighted) {
  const bool plain = !weighted || data_->weights == nullptr;
  if (plain && slot_->ones == count) return;
  if (plain)
    std::fill_n(slot_->weights, count, Value{1});
  else
    std::transform(rows, rows + count, slot_->weights,
                   [this](std::int64_t row) { return static_cast<Value>(data_->weights[row]); });
  std::fill(slot_->weights + count, slot_->weights + pass_->row_count, Value{0});
  slot_->ones = plain ? count : 0;
}

template class ResidentNetwork<float>;
template class ResidentNetwork<double>;

}  // namespace sheaf
