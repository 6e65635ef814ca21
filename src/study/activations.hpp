// The table of activations. Each engine has their formulas. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "study/kind_table.hpp"

namespace sheaf {

enum class Activation { relu, tanh, sigmoid, gelu, silu, leaky_relu, elu, selu, mish };

struct ActivationRow {
  Activation kind;
  std::string_view name;         ///< also of its function in torch, as TorchScript files call it
  std::string_view other_names;  ///< in other tools, separated by spaces
};

/// In the order of Activation.
inline constexpr std::array activation_table = {
    ActivationRow{Activation::relu, "relu", ""},
    ActivationRow{Activation::tanh, "tanh", ""},
    ActivationRow{Activation::sigmoid, "sigmoid", "logistic"},
    ActivationRow{Activation::gelu, "gelu", ""},
    ActivationRow{Activation::silu, "silu", "swish"},
    ActivationRow{Activation::leaky_relu, "leaky_relu", "leakyrelu"},
    ActivationRow{Activation::elu, "elu", ""},
    ActivationRow{Activation::selu, "selu", ""},
    ActivationRow{Activation::mish, "mish", ""},
};
static_assert(is_in_order(activation_table));

constexpr const ActivationRow& activation_of(Activation kind) {
  return row_of(activation_table, kind);
}

}  // namespace sheaf
