// An example of a user-defined module: an MLP with a gated hidden layer, a(x) * sigmoid(b(x)). Build and train it:
//   cmake -S jobs/plugin -B build/plugin -DSheaf_DIR=$PWD/build/release && cmake --build build/plugin
//   build/release/sheaf run jobs/studies/digits-bagging.cfg --model.hidden=none
//   --model.kind=plugin:build/plugin/gated_mlp.so
// CMake finds an installed Sheaf without Sheaf_DIR. The plugin needs the same LibTorch as Sheaf. If that is not the
// system's LibTorch, add -DTorch_DIR=... with the value in Sheaf's build folder: grep Torch_DIR
// build/release/CMakeCache.txt
// The run saves the weights of its best model. `sheaf predict` and `sheaf evaluate` load them into the module of the
// same plugin, in Python torch.load reads them.
// SPDX-License-Identifier: MIT
#include <torch/nn/modules/linear.h>
#include <sheaf/plugin.hpp>

namespace {

constexpr std::int64_t hidden = 32;

class GatedMlp : public torch::nn::Module {
 public:
  explicit GatedMlp(const sheaf::PluginShape& shape)
      : values_(register_module("values", torch::nn::Linear(shape.features, hidden))),
        gates_(register_module("gates", torch::nn::Linear(shape.features, hidden))),
        outputs_(register_module("outputs", torch::nn::Linear(hidden, shape.outputs))) {}

  torch::Tensor forward(torch::Tensor rows) {
    rows = rows.flatten(1);  // also images
    return outputs_(values_(rows) * torch::sigmoid(gates_(rows)));
  }

 private:
  torch::nn::Linear values_, gates_, outputs_;
};

// The layers draw their initial weights from LibTorch's generator, which Sheaf has seeded for this iteration.
torch::nn::AnyModule make(const sheaf::PluginShape& shape, std::uint64_t) {
  return torch::nn::AnyModule(std::make_shared<GatedMlp>(shape));
}

}  // namespace

SHEAF_REGISTER_MODEL(make);
