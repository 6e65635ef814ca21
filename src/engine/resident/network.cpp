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
bool ResidentNetwork<Value>::is_narrow(const Place& place) const {
  return place.layer.outputs < narrow_outputs;
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
  move_.gather(source_, rows, count, pass_->row_count, first.rows, first.columns);
  gather_targets(rows, count);
  gather_weights(rows, count, weighted);
}

template <class Value>
void ResidentNetwork<Value>::gather_targets(const std::int64_t* rows, std::int64_t count) {
  const std::int64_t row_count = pass_->row_count, output_count = data_->output_count;
  if (data_->task == Task::regression) {
    for (std::int64_t output = 0; output < output_count; ++output) {
      const float* from = data_->targets + output;
      Value* to = slot_->targets + output * row_count;
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

template <class Value>
void ResidentNetwork<Value>::multiply(std::size_t index, Value* values) const {
  const Place& place = places_[index];
  const std::int64_t row_count = pass_->row_count, outputs = place.layer.outputs;
  for (std::int64_t block = 0; block < place.blocks.count(); ++block) {
    const Value* columns = place.columns + place.blocks.offset(block, row_count);
    const Value* weights = parameters_ + place.weights + place.blocks.offset(block, outputs);
    if (is_narrow(place))
      activation_.combine_columns(columns, place.blocks.columns(block), row_count, weights, place.blocks.padded(block),
                                  outputs, block > 0, values);
    else
      pass_->layers[index][static_cast<std::size_t>(block)].forward(columns, weights, values);
  }
}

template <class Value>
const float* ResidentNetwork<Value>::draw_keep(std::size_t index, const BatchPart& part) {
  if (model_.dropout <= 0) return nullptr;
  const std::int64_t width = places_[index].layer.outputs, row_count = pass_->row_count;
  draw_dropout_mask(part.step, index, model_.dropout, part.begin * width, mask_, slot_->count * width);
  // Rows of padding keep what an earlier tile left there, zeros and ones.
  move_floats_.transpose(mask_, width, row_count, round_up(width, 4), keep_, row_count);
  return keep_;
}

// Bias and activation of layer `index`, whose products stand in the next layer's columns.
template <class Value>
void ResidentNetwork<Value>::activate(std::size_t index, const BatchPart* part) {
  const Place& place = places_[index];
  const Place& next = places_[index + 1];
  const std::int64_t row_count = pass_->row_count, columns = next.blocks.features;
  const float* keep = part == nullptr ? nullptr : draw_keep(index, *part);
  activation_.activate(model_.activation, place.layer.bias ? parameters_ + place.bias : nullptr, keep,
                       static_cast<Value>(1 / (1 - model_.dropout)), columns, row_count, next.columns,
                       part == nullptr ? nullptr : next.slopes);
  if (part == nullptr || is_narrow(next)) return;
  std::fill(next.columns + columns * row_count, next.columns + next.blocks.total_columns() * row_count, Value{0});
  for (std::int64_t block = 0; block < next.blocks.count(); ++block) {
    const std::int64_t padded = next.blocks.padded(block);
    move_.transpose(next.columns + next.blocks.offset(block, row_count), row_count, padded, row_count,
                    next.rows + next.blocks.offset(block, row_count), padded);
  }
}

template <class Value>
void ResidentNetwork<Value>::forward(const BatchPart* part) {
  for (std::size_t index = 0; index + 1 < places_.size(); ++index) {
    multiply(index, places_[index + 1].columns);
    activate(index, part);
  }
  multiply(places_.size() - 1, outputs_);
}

// Loss of the tile's outputs and, with a part, its gradients.
template <class Value>
double ResidentNetwork<Value>::loss(const BatchPart* part) {
  const Place& last = places_.back();
  const Value scale = part == nullptr ? Value{0} : static_cast<Value>(part->gradient_scale);
  return loss_.loss(train_.loss, last.layer.bias ? parameters_ + last.bias : nullptr,
                    {slot_->labels, slot_->targets, slot_->weights}, scale, last.layer.outputs, pass_->row_count,
                    part != nullptr && part->begin > 0, outputs_, part == nullptr ? nullptr : layer_gradients_[0],
                    part == nullptr ? nullptr : bias_gradients(last));
}

// Where the sums of a layer's gradients over the rows go: a layer without bias has nowhere to keep them.
template <class Value>
Value* ResidentNetwork<Value>::bias_gradients(const Place& place) const {
  return place.layer.bias ? gradients_ + place.bias : unused_gradients_;
}

template <class Value>
double ResidentNetwork<Value>::train(const BatchPart& part) {
  forward(&part);
  const double sum = loss(&part);
  if (part.last) updater_.begin_step(part.step.number);
  backward(part);
  return sum;
}

template <class Value>
void ResidentNetwork<Value>::backward(const BatchPart& part) {
  Value* gradients = layer_gradients_[0];
  Value* next = layer_gradients_[1];
  for (std::size_t index = places_.size(); index-- > 0;) {
    const Place& place = places_[index];
    if (index > 0) {
      propagate(index, gradients, next);
      activation_.finish_gradient(place.slopes, place.layer.inputs, pass_->row_count, part.begin > 0, next,
                                  bias_gradients(places_[index - 1]));
    }
    update_weights(index, gradients, part);
    if (part.last && place.layer.bias)
      update(gradients_ + place.bias, place.bias, round_up(place.layer.outputs, padding));
    std::swap(gradients, next);
  }
}

template <class Value>
void ResidentNetwork<Value>::propagate(std::size_t index, const Value* gradients, Value* input_gradients) const {
  const Place& place = places_[index];
  const auto& products = pass_->layers[index];
  for (std::int64_t block = 0; block < place.blocks.count(); ++block)
    products[static_cast<std::size_t>(block)].input_gradient(
        gradients, parameters_ + place.weights + place.blocks.offset(block, place.layer.outputs),
        input_gradients + place.blocks.offset(block, pass_->row_count));
}

// Each piece of the gradient is used up while it is hot; it reaches memory only when a batch has several tiles.
template <class Value>
void ResidentNetwork<Value>::update_weights(std::size_t index, const Value* gradients, const BatchPart& part) {
  const Place& place = places_[index];
  const bool whole = part.begin == 0 && part.last;
  for (std::int64_t block = 0; block < place.blocks.count(); ++block) {
    const BlockProducts& products = pass_->layers[index][static_cast<std::size_t>(block)];
    const std::int64_t padded = place.blocks.padded(block);
    for (std::int64_t output = 0; output < place.layer.outputs; output += place.chunk) {
      const std::int64_t offset = place.weights + place.blocks.offset(block, place.layer.outputs) + output * padded;
      Value* to = whole ? weight_gradients_ : gradients_ + offset;
      weight_gradient(place, products, block, output, gradients + output * pass_->row_count, part.begin > 0, to);
      if (part.last) update(to, offset, std::min(place.chunk, place.layer.outputs - output) * padded);
    }
  }
}

template <class Value>
void ResidentNetwork<Value>::weight_gradient(const Place& place, const BlockProducts& products, std::int64_t block,
                                             std::int64_t output, const Value* gradients, bool accumulate,
                                             Value* to) const {
  const std::int64_t offset = place.blocks.offset(block, pass_->row_count);
  const bool last = output + place.chunk >= place.layer.outputs;
  if (is_narrow(place)) {
    const std::int64_t columns = place.blocks.columns(block), padded = place.blocks.padded(block);
    activation_.dot_columns(place.columns + offset, columns, pass_->row_count, gradients, place.layer.outputs,
                            accumulate, to, padded);
    for (std::int64_t narrow = 0; narrow < place.layer.outputs; ++narrow)
      std::fill(to + narrow * padded + columns, to + (narrow + 1) * padded, Value{0});
  } else if (accumulate) {
    (last ? products.more_last_weight_gradient : products.more_weight_gradient)(place.rows + offset, gradients, to);
  } else {
    (last ? products.last_weight_gradient : products.weight_gradient)(place.rows + offset, gradients, to);
  }
}

template <class Value>
void ResidentNetwork<Value>::update(const Value* gradients, std::int64_t offset, std::int64_t count) {
  updater_(gradients, count, parameters_ + offset, first_ + offset, second_ + offset);
}

template <class Value>
double ResidentNetwork<Value>::evaluate(float* outputs) {
  forward(nullptr);
  const double sum = loss(nullptr);
  const std::int64_t output_count = places_.back().layer.outputs;
  for (std::int64_t row = 0; row < slot_->count; ++row)
    for (std::int64_t output = 0; output < output_count; ++output)
      *outputs++ = static_cast<float>(outputs_[output * pass_->row_count + row]);
  return sum;
}

template class ResidentNetwork<float>;
template class ResidentNetwork<double>;

}  // namespace sheaf
