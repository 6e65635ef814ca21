// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_activation.hpp"

#include <array>

#include "study/kind_table.hpp"

namespace sheaf {
namespace {

using torch::Tensor;

constexpr double leaky_slope = 0.01;
// of selu: LibTorch's, which it does not publish
constexpr double selu_alpha = 1.6732632423543772848170429916717, selu_scale = 1.0507009873554804934193349852946;

Tensor elu_gradient(const Tensor& gradient, double alpha, double scale, const Tensor& values) {
  return torch::elu_backward(gradient, alpha, scale, 1, false, values);
}

// In the order of Activation. relu: as clamp_min, which keeps NaN.
constexpr std::array stack_activations = {
    StackActivationRow{Activation::relu, [](const Tensor& values) { return values.clamp_min(0); },
                       [](const Tensor& gradient, const Tensor&, const Tensor& outputs) {
                         return torch::threshold_backward(gradient, outputs, 0);
                       }},
    StackActivationRow{Activation::tanh, [](const Tensor& values) { return torch::tanh(values); },
                       [](const Tensor& gradient, const Tensor&, const Tensor& outputs) {
                         return torch::tanh_backward(gradient, outputs);
                       }},
    StackActivationRow{Activation::sigmoid, [](const Tensor& values) { return torch::sigmoid(values); },
                       [](const Tensor& gradient, const Tensor&, const Tensor& outputs) {
                         return torch::sigmoid_backward(gradient, outputs);
                       }},
    StackActivationRow{Activation::gelu, [](const Tensor& values) { return torch::gelu(values); },
                       [](const Tensor& gradient, const Tensor& values, const Tensor&) {
                         return torch::gelu_backward(gradient, values);
                       }},
    StackActivationRow{Activation::silu, [](const Tensor& values) { return torch::silu(values); },
                       [](const Tensor& gradient, const Tensor& values, const Tensor&) {
                         return torch::silu_backward(gradient, values);
                       }},
    StackActivationRow{Activation::leaky_relu,
                       [](const Tensor& values) { return torch::leaky_relu(values, leaky_slope); },
                       [](const Tensor& gradient, const Tensor& values, const Tensor&) {
                         return torch::leaky_relu_backward(gradient, values, leaky_slope, false);
                       }},
    StackActivationRow{Activation::elu, [](const Tensor& values) { return torch::elu(values); },
                       [](const Tensor& gradient, const Tensor& values, const Tensor&) {
                         return elu_gradient(gradient, 1, 1, values);
                       }},
    StackActivationRow{Activation::selu, [](const Tensor& values) { return torch::selu(values); },
                       [](const Tensor& gradient, const Tensor& values, const Tensor&) {
                         return elu_gradient(gradient, selu_alpha, selu_scale, values);
                       }},
    StackActivationRow{Activation::mish, [](const Tensor& values) { return torch::mish(values); },
                       [](const Tensor& gradient, const Tensor& values, const Tensor&) {
                         return torch::mish_backward(gradient, values);
                       }},
};
static_assert(is_in_order(stack_activations) && stack_activations.size() == activation_table.size());

}  // namespace

const StackActivationRow& stack_activation_of(Activation kind) {
  return row_of(stack_activations, kind);
}

}  // namespace sheaf
