// SPDX-License-Identifier: MIT
#include "engines/stack_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sheaf {
namespace {

std::optional<std::string> model_refusal(ModelKind kind) {
  if (!is_network(kind)) return "trees are not trained in stacks";
  if (kind == ModelKind::torchscript) return "a TorchScript module is trained alone";
  if (kind == ModelKind::plugin) return "a plugin is trained alone";
  if (is_residual(kind)) return "the network is residual";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> stack_refusal(const Trial& trial, const std::vector<Layer>& layers) {
  if (auto reason = model_refusal(trial.model.kind)) return reason;
  const auto has = [&](Layer::Kind kind) {
    return std::any_of(layers.begin(), layers.end(), [kind](const Layer& layer) { return layer.kind == kind; });
  };
  if (has(Layer::Kind::convolution)) return "the network has convolutions";
  const Precision precision = trial.train.precision;
  if (precision != Precision::float32 && precision != Precision::float64)
    return fmt::format("train.precision = {}", precision_of(precision).name);
  return std::nullopt;
}

}  // namespace sheaf
