// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_layout.hpp"

#include <algorithm>
#include <cassert>

#include "core/padding.hpp"
#include "engines/libtorch/tensor_values.hpp"
#include "models/network_layout.hpp"

namespace sheaf {
namespace {

// The next `count` values of a slot.
IndexRange take_values(std::int64_t count, std::int64_t& stride) {
  const IndexRange values{stride, stride + count};
  stride += round_up(count, StackLayout::alignment);
  return values;
}

torch::Tensor values_at(const torch::Tensor& values, IndexRange range) {
  return values.narrow(-1, range.begin, range.count());
}

// [slots, 1, count]
torch::Tensor list_at(const torch::Tensor& values, IndexRange range) {
  return range.empty() ? torch::Tensor() : values_at(values, range).unsqueeze(1);
}

}  // namespace

StackLayout::StackLayout(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) {
    Places places{layer, {}, {}, {}, {}};
    places.weight = take_values(layer.weight_count(), parameter_stride_);
    places.bias = take_values(layer.bias_count(), parameter_stride_);
    if (layer.kind == Layer::Kind::batch_norm) {
      places.mean = take_values(layer.outputs, buffer_stride_);
      places.variance = take_values(layer.outputs, buffer_stride_);
    }
    places_.push_back(std::move(places));
  }
}

torch::Tensor StackLayout::weight(const torch::Tensor& parameters, std::size_t layer) const {
  const Places& places = at(layer);
  if (places.layer.is_norm()) return list_at(parameters, places.weight);
  if (places.weight.empty()) return {};
  std::vector<std::int64_t> sizes = weight_sizes(places.layer);
  sizes.insert(sizes.begin(), parameters.size(0));
  return values_at(parameters, places.weight).view(sizes);
}

torch::Tensor StackLayout::bias(const torch::Tensor& parameters, std::size_t layer) const {
  return list_at(parameters, at(layer).bias);
}

torch::Tensor StackLayout::running_mean(const torch::Tensor& buffers, std::size_t layer) const {
  return list_at(buffers, at(layer).mean);
}

torch::Tensor StackLayout::running_variance(const torch::Tensor& buffers, std::size_t layer) const {
  return list_at(buffers, at(layer).variance);
}

torch::Tensor StackLayout::slot_parameters(const std::vector<float>& list) const {
  torch::Tensor slot = torch::zeros({parameter_stride_}, torch::kFloat32);
  const float* from = list.data();
  for (const Places& places : places_)
    for (const IndexRange range : {places.weight, places.bias}) {
      std::copy_n(from, range.count(), slot.data_ptr<float>() + range.begin);
      from += range.count();
    }
  assert(from == list.data() + list.size());
  return slot;
}

torch::Tensor StackLayout::initial_buffers() const {
  torch::Tensor slot = torch::zeros({buffer_stride_}, torch::kFloat32);
  for (const Places& places : places_) values_at(slot, places.variance).fill_(1);
  return slot;
}

std::vector<float> StackLayout::parameter_list(const torch::Tensor& parameters) const {
  const torch::Tensor slot = parameters.to(torch::kCPU);
  std::vector<float> list;
  for (const Places& places : places_)
    for (const IndexRange range : {places.weight, places.bias})
      append_numbers(values_at(slot, range), torch::kFloat32, list);
  return list;
}

std::vector<double> StackLayout::buffer_list(const torch::Tensor& buffers) const {
  const torch::Tensor slot = buffers.to(torch::kCPU);
  std::vector<double> list;
  for (const Places& places : places_)
    for (const IndexRange range : {places.mean, places.variance})
      append_numbers(values_at(slot, range), torch::kFloat64, list);
  return list;
}

}  // namespace sheaf
