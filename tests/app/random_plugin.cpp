// A plugin whose module has dropout, which the program must refuse.
// SPDX-License-Identifier: MIT
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <sheaf/plugin.hpp>

namespace {

struct WithDropout : torch::nn::Module {
  explicit WithDropout(const sheaf::PluginShape& shape)
      : dropout(register_module("dropout", torch::nn::Dropout(0.5))),
        linear(register_module("linear", torch::nn::Linear(shape.features, shape.outputs))) {}

  torch::Tensor forward(torch::Tensor rows) { return linear(dropout(rows)); }

  torch::nn::Dropout dropout;
  torch::nn::Linear linear;
};

torch::nn::AnyModule make(const sheaf::PluginShape& shape, std::uint64_t) {
  return torch::nn::AnyModule(std::make_shared<WithDropout>(shape));
}

}  // namespace

SHEAF_REGISTER_MODEL(make);
