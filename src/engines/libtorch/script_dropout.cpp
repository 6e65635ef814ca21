// SPDX-License-Identifier: MIT
#include "engines/libtorch/script_dropout.hpp"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 4> replacements = {
    {{"aten::dropout", "sheaf::dropout"},
     {"aten::dropout_", "sheaf::dropout_"},
     {"aten::feature_dropout", "sheaf::feature_dropout"},
     {"aten::feature_dropout_", "sheaf::feature_dropout_"}}};

// The name of the function that replaces that of the node; null: none.
const char* replacement_of(const torch::jit::Node& node) {
  const std::string name = node.kind().toQualString();
  const auto found =
      std::find_if(replacements.begin(), replacements.end(), [&](const auto& pair) { return name == pair.first; });
  return found == replacements.end() ? nullptr : found->second;
}

struct Masks {
  std::optional<TrainingStep> step;
  std::size_t layer = 0;  // of the next mask
};
thread_local Masks masks;

// The factors of values of the given sizes, on their device and with their type.
torch::Tensor next_factors(torch::IntArrayRef sizes, const torch::Tensor& values, double rate) {
  require(masks.step.has_value(),
          "a dropout of the TorchScript module is active in evaluation mode. Use self.training as its third argument.");
  if (rate >= 1) return torch::zeros(sizes, values.options());
  torch::Tensor mask = torch::empty(sizes, torch::kFloat32);
  draw_dropout_mask(*masks.step, masks.layer++, rate, 0, mask.data_ptr<float>(), mask.numel());
  return mask.to(values.device(), values.scalar_type()).mul_(1 / (1 - rate));
}

// One factor for each value.
torch::Tensor factors(const torch::Tensor& values, double rate) {
  return next_factors(values.sizes(), values, rate);
}

// One factor for each channel of each row.
torch::Tensor feature_factors(const torch::Tensor& values, double rate) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(values.dim()), 1);
  for (std::size_t dimension = 0; dimension < std::min<std::size_t>(2, sizes.size()); ++dimension)
    sizes[dimension] = values.size(static_cast<std::int64_t>(dimension));
  return next_factors(sizes, values, rate);
}

template <torch::Tensor (*Factors)(const torch::Tensor&, double)>
torch::Tensor drop(const torch::Tensor& values, double rate, bool active) {
  return active && rate > 0 ? values * Factors(values, rate) : values;
}

template <torch::Tensor (*Factors)(const torch::Tensor&, double)>
torch::Tensor drop_in_place(torch::Tensor values, double rate, bool active) {
  return active && rate > 0 ? values.mul_(Factors(values, rate)) : values;
}

void replace_in(torch::jit::Block& block) {
  for (auto node = block.nodes().begin(); node != block.nodes().end(); ++node) {
    for (torch::jit::Block* inner : node->blocks()) replace_in(*inner);
    const char* name = replacement_of(**node);
    if (name == nullptr) continue;
    torch::jit::Node* replaced = block.owningGraph()->create(torch::jit::Symbol::fromQualString(name), node->inputs());
    replaced->insertBefore(*node);
    replaced->output()->setType(torch::jit::TensorType::get());
    node->output()->replaceAllUsesWith(replaced->output());
    node.destroyCurrent();
  }
}

}  // namespace

TORCH_LIBRARY(sheaf, library) {
  library.def("dropout(Tensor input, float p, bool train) -> Tensor", drop<factors>);
  library.def("dropout_(Tensor(a!) input, float p, bool train) -> Tensor(a!)", drop_in_place<factors>);
  library.def("feature_dropout(Tensor input, float p, bool train) -> Tensor", drop<feature_factors>);
  library.def("feature_dropout_(Tensor(a!) input, float p, bool train) -> Tensor(a!)", drop_in_place<feature_factors>);
}

bool is_replaced_dropout(const torch::jit::Node& node) {
  return replacement_of(node) != nullptr && !torch::jit::toIValue(node.namedInput("train"));
}

void replace_dropout(const torch::jit::Module& module) {
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions())
    if (auto* with_graph = torch::jit::tryToGraphFunction(*function)) replace_in(*with_graph->graph()->block());
}

DropoutStep::DropoutStep(std::optional<TrainingStep> step) {
  masks = {step, 0};
}

DropoutStep::~DropoutStep() {
  masks = {};
}

}  // namespace sheaf
