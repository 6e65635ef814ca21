// SPDX-License-Identifier: MIT
#include "models/torchscript_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/network_layout.hpp"
#include "study/activations.hpp"

namespace sheaf {
namespace {

std::string activation_call(Activation activation) {
  return fmt::format("torch.{}(values)", activation_of(activation).name);
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
    case Layer::Kind::encoding:
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

constexpr int int64_type = 4;  // c10::ScalarType

// A tensor of indices. Module::to() of C++ makes floating-point numbers of them.
std::string indices(const std::string& name) {
  return fmt::format("torch.to(self.{}, {})", name, int64_type);
}

std::string chosen_features(const char* buffer) {
  return fmt::format("torch.index_select(values, 1, {})", indices(buffer));
}

// The outputs of piecewise features.
std::string piecewise_source(const Layer& layer, std::size_t number) {
  const std::string weight = "self." + weight_name(number);
  return fmt::format("  numbers = {}\n", chosen_features("piecewise_features")) +
         "  columns = torch.contiguous(torch.t(numbers))\n"
         "  bins = torch.searchsorted(self.inner_edges, columns, right=True)\n"
         "  distances = columns - torch.gather(self.lower_edges, 1, bins)\n"
         "  places = torch.clamp(distances / torch.gather(self.bin_widths, 1, bins), 0.0, 1.0)\n"
         "  places = torch.unsqueeze(torch.t(places), 2)\n" +
         fmt::format("  factors = torch.index_select({}, 0, {})\n", weight, indices("piecewise_rows")) +
         fmt::format("  edges = torch.t(bins) + {} + 1\n", indices("piecewise_rows")) +
         fmt::format(
             "  outputs = torch.unsqueeze(numbers, 2) * factors\n"
             "  outputs = outputs + (1.0 - places) * torch.embedding({0}, edges)\n"
             "  outputs = torch.flatten(outputs + places * torch.embedding({0}, edges + 1), 1)\n",
             weight) +
         (layer.bias ? fmt::format("  outputs = outputs + self.{}\n", bias_name(number)) : "");
}

std::string lookup_source(std::size_t number) {
  return fmt::format("  rows = torch.to({}, {}) + {}\n", chosen_features("lookup_features"), int64_type,
                     indices("lookup_rows")) +
         fmt::format("  found = torch.flatten(torch.embedding(self.{}, rows), 1)\n", weight_name(number));
}

// Numbers, and a comparison of a code with each of its levels. The levels of numbers are NaN.
std::string other_features_source() {
  return fmt::format("  others = {}\n", chosen_features("other_features")) +
         "  is_level = torch.eq(others, self.levels).to(others)\n"
         "  others = torch.where(torch.isnan(self.levels), others, is_level)\n";
}

std::string empty_cells_source() {
  return fmt::format("  empty = torch.isnan({})\n", chosen_features("empty_features")) +
         "  values = torch.where(torch.isnan(values), self.replacements, values)\n";
}

// See LayerNetwork::encode().
std::string encoding_source(const Layer& layer, std::size_t number) {
  const EncodingColumns columns = encoding_columns(layer);
  std::string source;
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::int64_t>& features, const char* part, const std::string& statements) {
    if (features.empty()) return;
    source += statements;
    parts.emplace_back(part);
  };
  add(columns.piecewise_features, "outputs", piecewise_source(layer, number));
  add(columns.lookup_features, "found", lookup_source(number));
  add(columns.other_features, "others", other_features_source());
  if (!columns.empty_features.empty()) {
    source = empty_cells_source() + source;
    parts.emplace_back("empty.to(values)");
  }
  return source + fmt::format("  values = torch.cat([{}], 1)\n", fmt::join(parts, ", "));
}

std::string layer_source(const ModelOptions& model, const Layer& layer, std::size_t number) {
  if (layer.is_encoding()) return encoding_source(layer, number);
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

bool has_outer_steps(const ModuleSteps& steps) {
  return steps.offsets || steps.target_offsets || steps.exponential;
}

// The function that computes the outputs, without the outer steps if there are some.
std::string network_source(const ModuleSteps& steps, const std::string& statements) {
  return fmt::format("def {}(self, features: Tensor) -> Tensor:\n",
                     has_outer_steps(steps) ? relative_forward_name : "forward") +
         (has_outer_steps(steps) ? "" : image_check(steps.image)) +
         (steps.fills ? "  values = torch.flatten(features, 1).to(self.scale)\n"
                        "  values = torch.where(torch.isnan(values), self.fill, values)\n"
                        "  values = (values - self.shift) * self.scale\n"
                      : "  values = (torch.flatten(features, 1).to(self.scale) - self.shift) * self.scale\n") +
         (steps.clips
              ? "  bent = values * self.clip\n"
                "  values = values / torch.minimum(torch.sqrt(1.0 + torch.square(bent)), 1.0 + torch.abs(bent))\n"
              : "") +
         statements + "  return values\n";
}

// The function that subtracts offsets before the network, in double, and makes predictions of its outputs.
std::string outer_source(const ModuleSteps& steps) {
  return "def forward(self, features: Tensor) -> Tensor:\n" + image_check(steps.image) +
         (steps.offsets ? "  features = (torch.flatten(features, 1).to(self.offset) - self.offset).to(self.scale)\n"
                        : "") +
         fmt::format("  values = self.{}(features)\n", relative_forward_name) +
         (steps.exponential ? "  values = torch.exp(values)\n" : "") +
         (steps.target_offsets ? "  values = values.to(self.target_offset) + self.target_offset\n" : "") +
         "  return values\n";
}

}  // namespace

std::string weight_name(std::size_t layer) {
  return fmt::format("weight{}", layer);
}

std::string bias_name(std::size_t layer) {
  return fmt::format("bias{}", layer);
}

std::string mean_name(std::size_t layer) {
  return fmt::format("mean{}", layer);
}

std::string variance_name(std::size_t layer) {
  return fmt::format("variance{}", layer);
}

std::string layer_statements(const ModelOptions& model, const std::vector<Layer>& layers) {
  std::string source;
  for (std::size_t number = 0; number < layers.size(); ++number) source += layer_source(model, layers[number], number);
  return source;
}

std::string submodule_statement(const ImageShape& image) {
  const std::string rows =
      image.channels == 0 ? "values"
                          : fmt::format("values.view([-1, {}, {}, {}])", image.channels, image.height, image.width);
  return fmt::format("  values = self.module.forward({})\n", rows);
}

std::vector<std::string> module_functions(const ModuleSteps& steps, const std::string& statements) {
  std::vector<std::string> functions{network_source(steps, statements)};
  if (has_outer_steps(steps)) functions.push_back(outer_source(steps));
  return functions;
}

}  // namespace sheaf
