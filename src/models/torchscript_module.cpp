// SPDX-License-Identifier: MIT
#include "models/torchscript_module.hpp"

#include <cassert>
#include <functional>
#include <numeric>
#include <utility>

#include "data/column_encoding.hpp"
#include "models/torchscript_source.hpp"

namespace sheaf {
namespace {

std::string_view bytes_of(const void* values, std::size_t bytes) {
  return {static_cast<const char*>(values), bytes};
}

ModuleTensor parameter(std::string name, std::vector<std::int64_t> sizes, const float* values) {
  ModuleTensor tensor{
      std::move(name), ModuleTensor::Role::parameter, ModuleTensor::Type::float32, std::move(sizes), {}};
  tensor.bytes = bytes_of(values, static_cast<std::size_t>(tensor.count()) * sizeof(float));
  return tensor;
}

template <class T>
ModuleTensor buffer(std::string name, std::vector<T> values, std::vector<std::int64_t> sizes = {}) {
  constexpr auto type = std::is_same_v<T, double>         ? ModuleTensor::Type::float64
                        : std::is_same_v<T, std::int64_t> ? ModuleTensor::Type::int64
                                                          : ModuleTensor::Type::float32;
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  if (sizes.empty()) sizes = {static_cast<std::int64_t>(owner->size())};
  return {std::move(name),
          ModuleTensor::Role::buffer,
          type,
          std::move(sizes),
          bytes_of(owner->data(), owner->size() * sizeof(T)),
          owner};
}

void append_encoding(const Layer& layer, const FeatureScaling& scaling, std::vector<ModuleTensor>& tensors) {
  EncodingColumns columns = encoding_columns(layer);
  if (const std::int64_t count = layer.piecewise_count(); count > 0) {
    FeatureBins<float> bins = feature_bins<float>(scaling.edges);
    tensors.push_back(buffer("inner_edges", std::move(bins.inner), {count, max_bins - 1}));
    tensors.push_back(buffer("lower_edges", std::move(bins.lower), {count, max_bins}));
    tensors.push_back(buffer("bin_widths", std::move(bins.width), {count, max_bins}));
    tensors.push_back(buffer("piecewise_features", std::move(columns.piecewise_features)));
    tensors.push_back(buffer("piecewise_rows", std::move(columns.piecewise_rows)));
  }
  if (!columns.lookup_features.empty()) {
    tensors.push_back(buffer("lookup_features", std::move(columns.lookup_features)));
    tensors.push_back(buffer("lookup_rows", std::move(columns.lookup_rows)));
  }
  if (!columns.empty_features.empty()) {
    tensors.push_back(buffer("replacements", scaling.replacements));
    tensors.push_back(buffer("empty_features", std::move(columns.empty_features)));
  }
  if (!columns.other_features.empty()) {
    tensors.push_back(buffer("other_features", std::move(columns.other_features)));
    tensors.push_back(buffer("levels", std::move(columns.levels)));
  }
}

void append_layers(const std::vector<Layer>& layers, const NetworkState& network, std::vector<ModuleTensor>& tensors) {
  assert(static_cast<std::int64_t>(network.parameters.size()) == parameter_count(layers));
  assert(static_cast<std::int64_t>(network.buffers.size()) == buffer_count(layers));
  const float* values = network.parameters.data();
  const double* statistics = network.buffers.data();
  for (std::size_t number = 0; number < layers.size(); ++number) {
    const Layer& layer = layers[number];
    if (layer.weight_count() > 0) tensors.push_back(parameter(weight_name(number), weight_sizes(layer), values));
    values += layer.weight_count();
    if (layer.bias) tensors.push_back(parameter(bias_name(number), {layer.bias_count()}, values));
    values += layer.bias_count();
    if (layer.kind != Layer::Kind::batch_norm) continue;
    for (const std::string& name : {mean_name(number), variance_name(number)}) {
      tensors.push_back(buffer(name, std::vector<float>(statistics, statistics + layer.outputs)));
      statistics += layer.outputs;
    }
  }
}

}  // namespace

std::int64_t ModuleTensor::count() const {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

TorchscriptModule torchscript_module(const SavedModel& trained) {
  const auto& [description, network, scaling] = trained;
  assert(description.model.kind != ModelKind::plugin);
  const std::vector<double> offsets = feature_offsets(description.data.columns);
  const std::vector<double>& target_offsets = description.data.target_offsets;
  const ModuleSteps steps{description.shape.image, !scaling.fill.empty(),
                          !scaling.clip.empty(),   !offsets.empty(),
                          !target_offsets.empty(), loss_of(description.loss.kind).link == Link::exponential};
  TorchscriptModule module;
  const auto add = [&tensors = module.tensors](const char* name, const auto& values) {
    tensors.push_back(buffer(name, values));
  };
  const auto features = static_cast<std::size_t>(description.shape.features);
  const bool scaled = !scaling.shift.empty();
  add("shift", scaled ? scaling.shift : std::vector<float>(features, 0.0f));
  add("scale", scaled ? scaling.scale : std::vector<float>(features, 1.0f));
  if (steps.clips) add("clip", scaling.clip);
  if (steps.fills) add("fill", scaling.fill);
  if (steps.offsets) add("offset", offsets);
  if (steps.target_offsets) add("target_offset", target_offsets);
  std::string statements;
  if (has_layout(description.model.kind)) {
    const std::vector<Layer> layers = network_layout(description.model, description.shape);
    if (layers.front().is_encoding()) append_encoding(layers.front(), scaling, module.tensors);
    append_layers(layers, network, module.tensors);
    statements = layer_statements(description.model, layers);
  } else {
    statements = submodule_statement(description.shape.image);
  }
  module.functions = module_functions(steps, statements);
  return module;
}

}  // namespace sheaf
