// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_step.hpp"

#include <algorithm>

#include "engines/libtorch/network.hpp"
#include "engines/libtorch/tensor_values.hpp"

namespace sheaf {
namespace {

torch::Tensor weight_marks(const StackLayout& layout, const std::vector<Layer>& layers,
                           const torch::TensorOptions& options) {
  const torch::Tensor marks = torch::zeros({1, layout.parameter_stride()}, options);
  for (std::size_t index = 0; index < layers.size(); ++index)
    if (!layers[index].is_norm() && layers[index].weight_count() > 0) layout.weight(marks, index).fill_(1);
  return marks[0];
}

}  // namespace

StackStep::StackStep(const StackShape& shape, std::int64_t slots, const DataSet& data, const DataTensors& tensors)
    : shape_(shape),
      tensors_(tensors),
      options_(torch::TensorOptions(dtype_of(shape.precision)).device(tensors.features.device())),
      layout_(shape.layers),
      scaling_(slots, data.feature_count, shape.scales_features, shape.clips_features, data.has_empty_cells(),
               tensors.features.device()),
      loss_(shape, slots, data, options_),
      update_(chosen_update(shape, options_)) {
  const auto values = [&](std::int64_t stride) { return torch::zeros({slots, stride}, options_); };
  for (torch::Tensor* each : {&state_.parameters, &state_.gradients, &state_.first})
    *each = values(layout_.parameter_stride());
  if (has_second_moment(shape.optimizer)) state_.second = values(layout_.parameter_stride());
  if (shape.average != Average::none) state_.averages = values(layout_.parameter_stride());
  if (layout_.buffer_stride() > 0) state_.buffers = values(layout_.buffer_stride());
  if (shape.has_l1) state_.is_weight = weight_marks(layout_, shape.layers, options_);
  if (shape.layers.front().is_encoding()) encoding_ = {shape.layers.front(), slots, options_};
  layers_ = stack_layers(shape.layers, shape.activation, layout_, {state_.parameters, state_.gradients, state_.buffers},
                         encoding_);
}

void StackStep::start(std::int64_t slot, const TrainingTask& task) {
  const torch::Tensor parameters = layout_.slot_parameters(task.weights);
  state_.parameters[slot].copy_(parameters);
  if (state_.averages.defined()) state_.averages[slot].copy_(parameters);
  if (state_.buffers.defined()) state_.buffers[slot].copy_(layout_.initial_buffers());
  for (const torch::Tensor& values : {state_.gradients, state_.first, state_.second})
    if (values.defined()) values[slot].zero_();
  scaling_.set(slot, task.scaling);
  encoding_.set(slot, task.scaling);
  loss_.set(slot, task.trial.train, task.split.target_scaling);
}

torch::Tensor StackStep::features_of(const torch::Tensor& rows, const ScalingTensors& scaling) const {
  return scaling.scaled(tensors_.features.index({rows})).to(options_.dtype());
}

void StackStep::train(const StackBatch& given, torch::Tensor& loss_sums) {
  StackBatch batch = given;
  batch.numbers = given.numbers.to(options_.dtype());
  torch::Tensor values = features_of(batch.rows, scaling_);
  for (const auto& layer : layers_) values = layer->forward(values, &batch);
  const auto [losses, slopes] = loss_(values, loss_.targets(tensors_, batch.rows, &batch));
  loss_sums.add_(loss_.sum(losses, batch.weights));
  const torch::Tensor factors = batch.weights.to(options_.dtype()) * batch.number(StackNumber::gradient_scale);
  torch::Tensor gradient = slopes * factors.unsqueeze(2);
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) gradient = (*layer)->backward(gradient, batch);
  limit_gradients(shape_, batch, state_);
  update_(shape_, batch, state_);
}

torch::Tensor StackStep::evaluated_parameters() const {
  return state_.averages.defined() ? state_.averages : state_.parameters;
}

StackStep::Evaluated StackStep::evaluate(const torch::Tensor& slots, const torch::Tensor& rows,
                                         const torch::Tensor& counts) const {
  const StackValues networks{of_slots(evaluated_parameters(), slots), {}, of_slots(state_.buffers, slots)};
  const StackEncodingTensors encoding = encoding_.of_slots(slots);
  torch::Tensor values = features_of(rows, scaling_.of_slots(slots));
  for (const auto& layer : stack_layers(shape_.layers, shape_.activation, layout_, networks, encoding))
    values = layer->forward(values, nullptr);
  const StackLoss loss = loss_.of_slots(slots);
  const torch::Tensor losses = loss(values, loss.targets(tensors_, rows, nullptr)).losses;
  const torch::Tensor is_counted = torch::arange(rows.size(1), rows.options()).lt(counts);
  return {values, loss.sum(losses, is_counted.to(torch::kFloat64))};
}

NetworkState StackStep::network(std::int64_t slot) const {
  NetworkState state;
  state.parameters = layout_.parameter_list(evaluated_parameters()[slot]);
  if (state_.buffers.defined()) state.buffers = layout_.buffer_list(state_.buffers[slot]);
  return state;
}

std::vector<torch::Tensor> StackStep::saved(std::int64_t slot) const {
  std::vector<torch::Tensor> of_slot;
  for (const torch::Tensor& values : {state_.parameters, state_.first, state_.second, state_.averages, state_.buffers})
    if (values.defined()) of_slot.push_back(values[slot]);
  return of_slot;
}

void StackStep::save(std::int64_t slot, ByteWriter& state) const {
  for (const torch::Tensor& values : saved(slot)) put_tensor(values, state);
}

void StackStep::restore(std::int64_t slot, ByteReader& state) {
  for (const torch::Tensor& values : saved(slot)) get_tensor(state, values);
}

}  // namespace sheaf
