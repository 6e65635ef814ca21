// SPDX-License-Identifier: MIT
#include "engines/libtorch/script_model.hpp"

#include <fmt/format.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/jit_exception.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "core/error.hpp"
#include "engines/libtorch/module_network.hpp"
#include "engines/libtorch/script_dropout.hpp"
#include "engines/libtorch/script_weights.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

// Whether a node draws random numbers from LibTorch's generator. LibTorch's own list lacks in-place functions and all
// kinds of dropout except one.
bool draws(const torch::jit::Node& node) {
  constexpr std::array<const char*, 9> in_place = {"bernoulli_", "normal_",     "uniform_",     "random_", "rrelu_",
                                                   "geometric_", "log_normal_", "exponential_", "cauchy_"};
  const std::string name = node.kind().toUnqualString();
  if (is_replaced_dropout(node)) return false;
  if (name.find("dropout") != std::string::npos && node.hasNamedInput("train")) {
    const auto training = torch::jit::toIValue(node.namedInput("train"));
    return !training || !training->isBool() || training->toBool();
  }
  return node.isNondeterministic() || std::find(in_place.begin(), in_place.end(), name) != in_place.end();
}

// The name of the first function that draws random numbers.
std::optional<std::string> random_function(const torch::jit::Block& block) {
  for (const torch::jit::Node* node : block.nodes()) {
    if (node->kind().is_aten() && draws(*node)) return node->kind().toUnqualString();
    for (const torch::jit::Block* inner : node->blocks())
      if (auto found = random_function(*inner)) return found;
  }
  return std::nullopt;
}

template <class Condition>
bool has_node(const torch::jit::Block& block, const Condition& condition) {
  return std::any_of(block.nodes().begin(), block.nodes().end(), [&](const torch::jit::Node* node) {
    return condition(*node) || std::any_of(node->blocks().begin(), node->blocks().end(),
                                           [&](const auto* inner) { return has_node(*inner, condition); });
  });
}

torch::jit::Module load(const std::string& file) {
  std::istringstream content(first_content(file));
  try {
    return torch::jit::load(content, torch::kCPU);
  } catch (const std::exception& error) {
    throw RunError(fmt::format("'{}' cannot be read as a TorchScript module ({}). Save one with torch.jit.save.", file,
                               torch_messages(error)));
  }
}

// Copies the tensors; the code is shared. LibTorch's deepcopy() does not preserve which of them require a gradient.
torch::jit::Module copy_of(const torch::jit::Module& module) {
  const torch::NoGradGuard no_grad;
  torch::jit::Module copy = module.deepcopy();
  const auto originals = module.parameters();
  const auto copies = copy.parameters();
  auto original = originals.begin();
  for (torch::Tensor tensor : copies) tensor.set_requires_grad((*original++).requires_grad());
  return copy;
}

class ScriptNetwork : public ModuleNetwork {
 public:
  ScriptNetwork(const torch::jit::Module& module, ImageShape image, torch::Device device, Precision precision)
      : ModuleNetwork(image, precision), module_(module) {
    std::vector<torch::Tensor> parameters, buffers;
    for (const auto& tensor : module_.parameters()) parameters.push_back(tensor);
    for (const auto& tensor : module_.buffers()) buffers.push_back(tensor);
    adopt(parameters, buffers, device);
  }

 private:
  void set_training(bool training) override { module_.train(training); }

  // Runs without graph optimization, as in eager mode. Optimized code, which is used after the first calls, rounds
  // differently, and which iteration makes the first calls depends on the lanes.
  torch::Tensor run(const torch::Tensor& rows, std::optional<TrainingStep> step) override {
    const DropoutStep dropout(step);
    const torch::jit::GraphOptimizerEnabledGuard as_written(false);
    try {
      const torch::jit::IValue outputs = module_.forward({rows});
      require(outputs.isTensor(), [&] { return "the module returns a " + outputs.tagKind() + ", not a tensor"; });
      return outputs.toTensor();
    } catch (const torch::jit::JITException& error) {
      throw RunError(torch_messages(error));
    }
  }

  torch::jit::Module module_;
};

}  // namespace

ScriptModel::ScriptModel(const std::string& file) : file_(file), module_(load(file)), trained_(module_) {
  require(module_.find_method("forward").has_value(),
          fmt::format("the TorchScript module '{}' has no forward(). Save one with a forward method.", file));
  const auto graph = module_.get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  if (const auto name = random_function(*graph->block()))
    throw RunError(
        fmt::format("the TorchScript module '{}' draws random numbers in training ({}; lanes share LibTorch's "
                    "generator, so results would not be reproducible). Save it without random numbers, other than "
                    "dropout that self.training switches, in a module of torch.jit.script.",
                    file, *name));
  if (!has_node(*graph->block(), is_replaced_dropout)) return;
  trained_ = load(file);
  replace_dropout(trained_);
}

std::unique_ptr<Network> ScriptModel::make(const ModelOptions& model, ImageShape image, std::uint64_t iteration_seed,
                                           torch::Device device, Precision precision) const {
  torch::jit::Module copy = copy_of(trained_);
  auto network = std::make_unique<ScriptNetwork>(copy, image, device, precision);
  // Draws into the network's parameters, which have the precision of the training: those of a bfloat16 file would round
  // the values.
  if (!model.keep_weights) draw_script_weights(copy, file_, model.initialization, iteration_seed);
  return network;
}

torch::jit::Module ScriptModel::trained(const NetworkState& state) const {
  const torch::NoGradGuard no_grad;
  torch::jit::Module copy = copy_of(module_);
  ScriptNetwork(copy, {}, torch::kCPU, Precision::float32).set(state);
  // Without the copies, the file would contain the whole flat tensor for each parameter.
  for (torch::Tensor parameter : copy.parameters()) parameter.set_data(parameter.clone());
  copy.eval();
  return copy;
}

}  // namespace sheaf
