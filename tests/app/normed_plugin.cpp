// A plugin whose state is more than its trained parameters: running statistics, a counter of batches, and weights that
// are drawn from the seed and never trained.
// SPDX-License-Identifier: MIT
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <sheaf/plugin.hpp>

namespace {

constexpr std::int64_t hidden = 24;

class Normed : public torch::nn::Module {
 public:
  explicit Normed(const sheaf::PluginShape& shape)
      : projection_(register_parameter("projection", torch::randn({shape.features, hidden}) * 0.3, false)),
        norm_(register_module("norm", torch::nn::BatchNorm1d(hidden))),
        outputs_(register_module("outputs", torch::nn::Linear(hidden, shape.outputs))) {}

  torch::Tensor forward(const torch::Tensor& rows) {
    return outputs_(torch::relu(norm_(rows.flatten(1).matmul(projection_))));
  }

 private:
  torch::Tensor projection_;
  torch::nn::BatchNorm1d norm_;
  torch::nn::Linear outputs_;
};

torch::nn::AnyModule make(const sheaf::PluginShape& shape, std::uint64_t) {
  return torch::nn::AnyModule(std::make_shared<Normed>(shape));
}

}  // namespace

SHEAF_REGISTER_MODEL(make);
