// SPDX-License-Identifier: MIT
#include "engines/libtorch/script_weights.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/error.hpp"
#include "models/initial_weights.hpp"

namespace sheaf {
namespace {

using Kind = LayerParameters::Kind;

// Returns "Linear" for __torch__.torch.nn.modules.linear.Linear, also if saving has inserted ___torch_mangle_0. Returns
// an empty string for types outside of torch.nn.
std::string type_in_torch_nn(const torch::jit::Module& layer) {
  const auto name = layer.type()->name();
  return name && name->prefix().rfind("__torch__.torch.nn.modules.", 0) == 0 ? name->name() : "";
}

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

std::optional<Kind> kind_of(const std::string& type) {
  if (type == "Linear" || begins_with(type, "Conv")) return Kind::affine;
  if (type == "Embedding") return Kind::embedding;
  for (const char* norm : {"BatchNorm", "SyncBatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm"})
    if (begins_with(type, norm)) return Kind::normalization;
  return std::nullopt;
}

[[noreturn]] void refuse(const torch::jit::Module& layer, const std::string& name, const std::string& file) {
  throw UsageError(
      fmt::format("the TorchScript module '{}' has parameters whose initial weights are not known ('{}' "
                  "of {}). Set model.keep_weights = true to start from the weights in the file.",
                  file, name, layer.type()->name() ? layer.type()->name()->name() : "a module"));
}

void copy_values(const torch::Tensor& tensor, const std::vector<float>& values, std::int64_t first) {
  if (!tensor.defined() || !tensor.requires_grad()) return;
  tensor.copy_(torch::tensor(c10::ArrayRef<float>(values.data() + first, static_cast<std::size_t>(tensor.numel())))
                   .view(tensor.sizes()));
}

// PyTorch computes fan-in and fan-out from the shape of the weight: [outputs, inputs per group, kernel...].
LayerParameters parameters_of(Kind kind, const torch::Tensor& weight, const torch::Tensor& bias) {
  LayerParameters layer{kind, weight.numel(), bias.defined() ? bias.numel() : 0, 1, 1};
  if (weight.dim() < 2) return layer;
  layer.fan_in = weight.numel() / weight.size(0);
  layer.fan_out = weight.numel() / weight.size(1);
  return layer;
}

// The row of the padding index is zero and never trained.
void clear_padding(const torch::jit::Module& layer, const torch::Tensor& weight) {
  const auto slot = layer.type()->findConstantSlot("padding_idx");
  if (!slot) return;
  const auto index = layer.type()->getConstant(*slot);
  if (index.isInt() && weight.requires_grad()) weight[index.toInt()].zero_();
}

void reset_statistics(const torch::jit::Module& layer) {
  for (const auto& buffer : layer.named_buffers(false))
    if (buffer.name == "running_var")
      buffer.value.fill_(1);
    else
      buffer.value.zero_();
}

}  // namespace

void draw_script_weights(torch::jit::Module& module, const std::string& file, Initialization rule,
                         std::uint64_t iteration_seed) {
  const torch::NoGradGuard no_grad;
  std::uint64_t stream_number = 0;
  for (const auto& layer : module.modules()) {
    torch::Tensor weight, bias;
    const auto kind = kind_of(type_in_torch_nn(layer));
    for (const auto& parameter : layer.named_parameters(false)) {
      const bool known = kind && (parameter.name == "weight" || parameter.name == "bias");
      if (known) (parameter.name == "weight" ? weight : bias) = parameter.value;
      if (!known && parameter.value.requires_grad()) refuse(layer, parameter.name, file);
    }
    const bool frozen = weight.defined() && !weight.requires_grad();
    if (kind == Kind::normalization && !frozen) reset_statistics(layer);
    if (!weight.defined()) continue;
    std::vector<float> values;
    RandomStream stream(iteration_seed, Purpose::initial_weights, stream_number++);
    append_initial_weights(values, parameters_of(*kind, weight, bias), rule, stream);
    copy_values(weight, values, 0);
    copy_values(bias, values, weight.numel());
    if (kind == Kind::embedding) clear_padding(layer, weight);
  }
}

}  // namespace sheaf
