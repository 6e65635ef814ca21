// SPDX-License-Identifier: MIT
#include "engines/libtorch/torchscript_file.hpp"

#include <fmt/format.h>
#include <torch/script.h>

#include <cassert>
#include <sstream>

#include "core/error.hpp"
#include "data/column_encoding.hpp"
#include "engines/libtorch/layer_network.hpp"
#include "engines/libtorch/script_model.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "files/regular_file.hpp"
#include "models/saved_model_record.hpp"

namespace sheaf {
namespace {

std::string weight_name(std::size_t layer) {
  return fmt::format("weight{}", layer);
}

std::string bias_name(std::size_t layer) {
  return fmt::format("bias{}", layer);
}

std::string activation_call(Activation activation) {
  return fmt::format("torch.{}(values)", activation_of(activation).name);
}

std::string mean_name(std::size_t layer) {
  return fmt::format("mean{}", layer);
}

std::string variance_name(std::size_t layer) {
  return fmt::format("variance{}", layer);
}

// The call that applies a layer to `values`, without activation and pooling.
std::string layer_call(const Layer& layer, std::size_t number, const std::string& values) {
  const std::string weight = "self." + weight_name(number);
  const std::string bias = layer.bias ? "self." + bias_name(number) : "None";
  switch (layer.kind) {
    case Layer::Kind::convolution:
      return fmt::format("torch.conv2d({0}.view([-1, {1}, {2}, {3}]), {4}, {5}, [{6}, {6}], [{7}, {7}])", values,
                         layer.inputs, layer.height, layer.width, weight, bias, layer.stride, layer.kernel / 2);
    case Layer::Kind::batch_norm:
      return fmt::format("torch.batch_norm({}, {}, {}, self.{}, self.{}, self.training, {}, {}, False)", values, weight,
                         bias, mean_name(number), variance_name(number), batch_norm_momentum, batch_norm_epsilon);
    case Layer::Kind::layer_norm:
      return fmt::format("torch.layer_norm({}, [{}], {}, {}, {})", values, layer.outputs, weight, bias,
                         layer_norm_epsilon);
    case Layer::Kind::dense:
      break;
  }
  return fmt::format("torch.linear(torch.flatten({}, 1), {}, {})", values, weight, bias);
}

std::string pooling_source(Layer::Pooling pooling) {
  switch (pooling) {
    case Layer::Pooling::none:
      return "";
    case Layer::Pooling::halve:
      return "  values = torch.max_pool2d(values, [2, 2])\n";
    case Layer::Pooling::overlap:
      return "  values = torch.max_pool2d(values, [3, 3], [2, 2], [1, 1])\n";
    case Layer::Pooling::average:
      break;
  }
  return "  values = torch.adaptive_avg_pool2d(values, [1, 1])\n";
}

// The statements for one layer. They compute the same as LayerNetwork, except that dropout uses LibTorch's generator.
std::string layer_source(const ModelOptions& model, const Layer& layer, std::size_t number) {
  const std::string variable = layer.on_shortcut ? "shortcut" : "values";
  std::string source = layer.begins_block ? "  shortcut = values\n" : "";
  source += fmt::format("  {} = {}\n", variable, layer_call(layer, number, variable));
  if (layer.ends_block) source += "  values = values + shortcut\n";
  if (layer.activated) source += fmt::format("  values = {}\n", activation_call(model.activation));
  source += pooling_source(layer.pooling);
  if (model.dropout > 0 && layer.drops)
    source += fmt::format("  values = torch.dropout(values, {}, self.training)\n", model.dropout);
  return source;
}

// Images must have their channels first: the same values in another order would give wrong predictions.
std::string image_check(const ImageShape& image) {
  if (image.channels == 0) return "";
  return fmt::format(
      "  if features.dim() == 4:\n"
      "    matches = features.size(1) == {0} and features.size(2) == {1} and features.size(3) == {2}\n"
      "    assert matches, \"features must have the shape [rows, {0}, {1}, {2}] (channels first)\"\n",
      image.channels, image.height, image.width);
}

// The steps of the module besides the network.
struct ModuleParts {
  ImageShape image;
  bool fills = false;           // empty cells
  bool clips = false;           // scaled features
  bool offsets = false;         // subtracts offsets from features
  bool target_offsets = false;  // adds offsets to outputs
  bool exponential = false;     // outputs are logarithms

  bool has_outer_steps() const { return offsets || target_offsets || exponential; }
};

// The function that computes the outputs, without the outer steps if there are some.
std::string network_source(const ModuleParts& parts, const std::string& statements) {
  return fmt::format("def {}(self, features: Tensor) -> Tensor:\n",
                     parts.has_outer_steps() ? relative_forward_name : "forward") +
         image_check(parts.image) +
         (parts.fills ? "  values = torch.flatten(features, 1).to(self.scale)\n"
                        "  values = torch.where(torch.isnan(values), self.fill, values)\n"
                        "  values = (values - self.shift) * self.scale\n"
                      : "  values = (torch.flatten(features, 1).to(self.scale) - self.shift) * self.scale\n") +
         (parts.clips
              ? "  bent = values * self.clip\n"
                "  values = values / torch.minimum(torch.sqrt(1.0 + torch.square(bent)), 1.0 + torch.abs(bent))\n"
              : "") +
         statements + "  return values\n";
}

// The function that subtracts offsets before the network, in double, and makes predictions of its outputs.
std::string outer_source(const ModuleParts& parts) {
  return std::string("def forward(self, features: Tensor) -> Tensor:\n") +
         (parts.offsets ? "  features = (torch.flatten(features, 1).to(self.offset) - self.offset).to(self.scale)\n"
                        : "") +
         fmt::format("  values = self.{}(features)\n", relative_forward_name) +
         (parts.exponential ? "  values = torch.exp(values)\n" : "") +
         (parts.target_offsets ? "  values = values.to(self.target_offset) + self.target_offset\n" : "") +
         "  return values\n";
}

std::string layers_source(const ModelOptions& model, const std::vector<Layer>& layers) {
  std::string source;
  for (std::size_t number = 0; number < layers.size(); ++number) source += layer_source(model, layers[number], number);
  return source;
}

std::string module_source(const ImageShape& image) {
  const std::string rows =
      image.channels == 0 ? "values"
                          : fmt::format("values.view([-1, {}, {}, {}])", image.channels, image.height, image.width);
  return fmt::format("  values = self.module.forward({})\n", rows);
}

torch::Tensor copy_of(const float* values, const std::vector<std::int64_t>& sizes) {
  return torch::from_blob(const_cast<float*>(values), sizes, torch::kFloat32).clone();
}

void register_parameter(torch::jit::Module& module, const std::string& name, const torch::Tensor& values) {
  constexpr bool is_buffer = false;
  module.register_parameter(name, values.requires_grad_(), is_buffer);
}

void register_layers(torch::jit::Module& module, const std::vector<Layer>& layers, const NetworkState& network) {
  assert(static_cast<std::int64_t>(network.parameters.size()) == parameter_count(layers));
  const float* values = network.parameters.data();
  std::vector<float> statistics(network.buffers.begin(), network.buffers.end());
  const float* buffers = statistics.data();
  for (std::size_t number = 0; number < layers.size(); ++number) {
    const Layer& layer = layers[number];
    register_parameter(module, weight_name(number), copy_of(values, weight_sizes(layer)));
    values += layer.weight_count();
    if (layer.bias) register_parameter(module, bias_name(number), copy_of(values, {layer.outputs}));
    values += layer.bias_count();
    if (layer.kind != Layer::Kind::batch_norm) continue;
    for (const std::string& name : {mean_name(number), variance_name(number)}) {
      module.register_buffer(name, copy_of(buffers, {layer.outputs}));
      buffers += layer.outputs;
    }
  }
}

}  // namespace

std::string torchscript_file_bytes(const SavedModel& trained) {
  const auto& [description, network, scaling] = trained;
  assert(description.model.kind != ModelKind::plugin);
  try {
    torch::jit::Module module("SheafModel");
    module.register_attribute("training", c10::BoolType::get(), false);
    const bool scaled = !scaling.shift.empty();
    const std::int64_t features = description.shape.features;
    module.register_buffer("shift", scaled ? copy_of(scaling.shift.data(), {features}) : torch::zeros({features}));
    module.register_buffer("scale", scaled ? copy_of(scaling.scale.data(), {features}) : torch::ones({features}));
    const std::vector<double> offsets = feature_offsets(description.data.columns);
    const std::vector<double>& target_offsets = description.data.target_offsets;
    ModuleParts parts{description.shape.image, !scaling.fill.empty(),
                      !scaling.clip.empty(),   !offsets.empty(),
                      !target_offsets.empty(), loss_of(description.loss.kind).link == Link::exponential};
    if (parts.clips) module.register_buffer("clip", copy_of(scaling.clip.data(), {features}));
    if (parts.fills) module.register_buffer("fill", copy_of(scaling.fill.data(), {features}));
    if (parts.offsets) module.register_buffer("offset", torch::tensor(offsets, torch::kFloat64));
    if (parts.target_offsets) module.register_buffer("target_offset", torch::tensor(target_offsets, torch::kFloat64));
    std::string statements;
    if (has_layout(description.model.kind)) {
      const auto layers = network_layout(description.model, description.shape);
      register_layers(module, layers, network);
      statements = layers_source(description.model, layers);
    } else {
      module.register_module("module", ScriptModel(description.model.file).trained(network));
      statements = module_source(description.shape.image);
    }
    module.define(network_source(parts, statements));
    if (parts.has_outer_steps()) module.define(outer_source(parts));
    std::ostringstream bytes;
    module.save(bytes, {{saved_model_record_name, saved_model_record(trained)}});
    return bytes.str();
  } catch (const c10::Error& error) {
    throw RunError(fmt::format("cannot make a model file (LibTorch: {})", torch_messages(error)));
  }
}

std::shared_ptr<torch::jit::Module> load_module(const std::string& path) {
  require_regular_file(path);
  try {
    auto module = std::make_shared<torch::jit::Module>(torch::jit::load(path, torch::kCPU));
    module->eval();
    return module;
  } catch (const std::exception&) {  // of several types, with messages about LibTorch's internals
    throw RunError(
        fmt::format("'{}' is not a complete TorchScript file (LibTorch cannot load it). Use a model file of sheaf, or "
                    "save the module with torch.jit.script(module).save(path).",
                    path));
  }
}

}  // namespace sheaf
