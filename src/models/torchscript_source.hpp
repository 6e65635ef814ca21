// The TorchScript source code of saved models.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/layer.hpp"
#include "study/data_options.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// The function of a module with offsets that takes features without them, and returns outputs without them. Numbers
/// with offsets have more digits than the network's type.
inline constexpr const char* relative_forward_name = "forward_relative";

/// The names of a layer's tensors. `layer`: its number in the network.
std::string weight_name(std::size_t layer);
std::string bias_name(std::size_t layer);
std::string mean_name(std::size_t layer);
std::string variance_name(std::size_t layer);

/// The steps of a module besides its network.
struct ModuleSteps {
  ImageShape image;             ///< rows of other shapes are refused
  bool fills = false;           ///< replaces empty cells by the buffer `fill`
  bool clips = false;           ///< limits scaled features by the buffer `clip`
  bool offsets = false;         ///< subtracts the buffer `offset` from features, in double
  bool target_offsets = false;  ///< adds the buffer `target_offset` to outputs, in double
  bool exponential = false;     ///< outputs are logarithms
};

/// The statements of a network of layers, which transform the variable `values`. They compute the same as the LibTorch
/// engine's LayerNetwork, except that dropout uses LibTorch's generator. Pure.
std::string layer_statements(const ModelOptions& model, const std::vector<Layer>& layers);

/// The statement of a module from a file, which is the submodule `module`. Pure.
std::string submodule_statement(const ImageShape& image);

/// The functions of a module whose network is `statements`: `forward`, after `forward_relative` if there are steps
/// outside of it. The module has the buffers `shift` and `scale`. Pure.
std::vector<std::string> module_functions(const ModuleSteps& steps, const std::string& statements);

}  // namespace sheaf
