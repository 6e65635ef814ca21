// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_encoding.hpp"

#include <utility>
#include <vector>

#include "data/feature_edges.hpp"
#include "engines/libtorch/tensor_values.hpp"
#include "models/network_layout.hpp"

namespace sheaf {
namespace {

torch::Tensor zeros_or_none(std::int64_t features, at::IntArrayRef sizes, const torch::TensorOptions& options) {
  return features > 0 ? torch::zeros(sizes, options) : torch::Tensor();
}

}  // namespace

StackEncodingColumns::StackEncodingColumns(const Layer& encoding, const torch::TensorOptions& options) {
  const auto indices = [&](const std::vector<std::int64_t>& values) {
    return torch::tensor(values, torch::kInt64).to(options.device());
  };
  const EncodingColumns columns = encoding_columns(encoding);
  piecewise_features = indices(columns.piecewise_features);
  piecewise_rows = indices(columns.piecewise_rows);
  lookup_features = indices(columns.lookup_features);
  lookup_rows = indices(columns.lookup_rows);
  other_features = indices(columns.other_features);
  empty_features = indices(columns.empty_features);
  levels = torch::tensor(columns.levels, torch::kFloat32).to(options);
  is_number = levels.isnan();
}

StackEncodingTensors::StackEncodingTensors(const Layer& encoding, std::int64_t slots,
                                           const torch::TensorOptions& options)
    : columns(encoding, options) {
  const std::int64_t piecewise = encoding.piecewise_count();
  inner = zeros_or_none(piecewise, {slots, piecewise, max_bins - 1}, options);
  lower = zeros_or_none(piecewise, {slots, piecewise, max_bins}, options);
  width = zeros_or_none(piecewise, {slots, piecewise, max_bins}, options);
  replacements = zeros_or_none(encoding.empty_count(), {slots, 1, encoding.inputs}, options);
}

void StackEncodingTensors::set(std::int64_t slot, const FeatureScaling& scaling) {
  const auto put = [&](torch::Tensor& all, const auto& values, torch::ScalarType type) {
    all[slot].copy_(view_of(values.data(), all[slot].sizes(), type));
  };
  if (inner.defined()) {
    const FeatureBins<double> bins = feature_bins<double>(scaling.edges);
    put(inner, bins.inner, torch::kFloat64);
    put(lower, bins.lower, torch::kFloat64);
    put(width, bins.width, torch::kFloat64);
  }
  if (replacements.defined()) put(replacements, scaling.replacements, torch::kFloat32);
}

StackEncodingTensors StackEncodingTensors::of_slots(const torch::Tensor& slots) const {
  StackEncodingTensors some = *this;
  for (torch::Tensor* tensor : {&some.inner, &some.lower, &some.width, &some.replacements})
    *tensor = sheaf::of_slots(*tensor, slots);
  return some;
}

StackEncoder::StackEncoder(std::int64_t slots, StackEncodingTensors tensors, const torch::TensorOptions& options)
    : columns_(tensors.columns),
      tensors_(std::move(tensors)),
      slots_(torch::arange(slots, options.dtype(torch::kInt64)).view({slots, 1, 1})) {}

// One-hot encoded codes are compared with each of their levels.
torch::Tensor StackEncoder::forward(const torch::Tensor& all, const torch::Tensor& weight, const torch::Tensor& bias) {
  const bool may_be_empty = columns_.empty_features.numel() > 0;
  const torch::Tensor features = may_be_empty ? torch::where(all.isnan(), tensors_.replacements, all) : all;
  std::vector<torch::Tensor> outputs;
  if (columns_.piecewise_features.numel() > 0) outputs.push_back(piecewise(features, weight, bias));
  if (columns_.lookup_features.numel() > 0) outputs.push_back(looked_up(features, weight));
  if (columns_.other_features.numel() > 0) {
    const torch::Tensor others = features.index_select(2, columns_.other_features);
    outputs.push_back(torch::where(columns_.is_number, others, others.eq(columns_.levels).to(others.scalar_type())));
  }
  if (may_be_empty) outputs.push_back(all.index_select(2, columns_.empty_features).isnan().to(all.scalar_type()));
  return outputs.size() == 1 ? outputs.front() : torch::cat(outputs, 2);
}

torch::Tensor StackEncoder::looked_up(const torch::Tensor& features, const torch::Tensor& weight) {
  codes_ = features.index_select(2, columns_.lookup_features).to(torch::kInt64) + columns_.lookup_rows;
  return rows_of(weight, codes_).flatten(2);
}

// See LayerNetwork::piecewise.
torch::Tensor StackEncoder::piecewise(const torch::Tensor& features, const torch::Tensor& weight,
                                      const torch::Tensor& bias) {
  constexpr bool as_int32 = false, right = true;
  const torch::Tensor numbers = features.index_select(2, columns_.piecewise_features);
  const torch::Tensor columns = numbers.transpose(1, 2).contiguous();
  const torch::Tensor bins = torch::searchsorted(tensors_.inner, columns, as_int32, right);  // [slots, features, rows]
  const torch::Tensor distances = columns - tensors_.lower.gather(2, bins);
  const torch::Tensor places = (distances / tensors_.width.gather(2, bins)).clamp(0, 1);
  numbers_ = numbers.unsqueeze(3);
  places_ = places.transpose(1, 2).contiguous().unsqueeze(3);
  edges_ = bins.transpose(1, 2) + columns_.piecewise_rows + 1;
  torch::Tensor outputs = numbers_ * weight.index_select(1, columns_.piecewise_rows).unsqueeze(1);
  outputs = outputs + (1 - places_) * rows_of(weight, edges_);
  outputs = (outputs + places_ * rows_of(weight, edges_ + 1)).flatten(2);
  return bias.defined() ? outputs + bias : outputs;
}

void StackEncoder::backward(const torch::Tensor& gradient, torch::Tensor& weight_gradient,
                            torch::Tensor& bias_gradient) const {
  if (!weight_gradient.defined()) return;
  weight_gradient.zero_();
  const std::int64_t piecewise_count = columns_.piecewise_features.numel(),
                     lookup_count = columns_.lookup_features.numel();
  const auto part = [&](std::int64_t first, std::int64_t count) {  // [slots, rows, features, embedding_width]
    return gradient.narrow(2, first * embedding_width, count * embedding_width).unflatten(2, {count, embedding_width});
  };
  if (piecewise_count > 0) piecewise_backward(part(0, piecewise_count), weight_gradient, bias_gradient);
  if (lookup_count > 0) add_to_rows(weight_gradient, codes_, part(piecewise_count, lookup_count));
}

void StackEncoder::piecewise_backward(const torch::Tensor& gradient, torch::Tensor& weight_gradient,
                                      torch::Tensor& bias_gradient) const {
  if (bias_gradient.defined()) bias_gradient.copy_(gradient.sum(1).flatten(1).unsqueeze(1));
  weight_gradient.index_copy_(1, columns_.piecewise_rows, (gradient * numbers_).sum(1));
  add_to_rows(weight_gradient, edges_, gradient * (1 - places_));
  add_to_rows(weight_gradient, edges_ + 1, gradient * places_);
}

// [slots, rows, features, embedding_width], for `rows` [slots, rows, features] of the weights.
torch::Tensor StackEncoder::rows_of(const torch::Tensor& weight, const torch::Tensor& rows) const {
  return weight.index({slots_, rows});
}

// Adds values to the rows of the weights that they belong to, one after the other. On a GPU, index_put_ reads the
// largest index on the host, in most versions of LibTorch, to check it.
void StackEncoder::add_to_rows(torch::Tensor& weights, const torch::Tensor& rows, const torch::Tensor& values) const {
  constexpr bool accumulate = true, without_check = true;
  at::_index_put_impl_(weights, {slots_, rows}, values, accumulate, without_check);
}

}  // namespace sheaf
