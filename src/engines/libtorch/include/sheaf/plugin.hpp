// For C++ modules of your own: include <sheaf/plugin.hpp> in a shared library, register one function with
// SHEAF_REGISTER_MODEL, and train it with model.kind = plugin:FILE.so. jobs/plugin/ is an example that says how to
// compile it. The header needs LibTorch, and no other file of Sheaf.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/nn/modules/container/any.h>
#include <torch/version.h>

#include <cstdint>

namespace sheaf {

/// What the rows of a study are.
struct PluginShape {
  std::int64_t features;  ///< per row, flattened
  std::int64_t outputs;   ///< classes, or target columns
  std::int64_t channels;  ///< of a row as an image; 0: it is none
  std::int64_t height;
  std::int64_t width;
};

/// Makes a module on the CPU whose forward(Tensor) takes [rows, features], or [rows, channels, height, width] where
/// rows are images, and returns [rows, outputs]: plain values, or logits. Its initial weights are its own and should
/// follow from `seed`, the iteration's. While it is called, LibTorch's generator starts from that seed and nobody else
/// draws from it, so modules that initialize themselves, as torch::nn's do, need nothing more. What forward draws at
/// random cannot be reproduced: lanes share LibTorch's generator. Parameters that require no gradient are not trained.
using PluginFactory = torch::nn::AnyModule (*)(const PluginShape& shape, std::uint64_t seed);

/// What a plugin says of itself. The first member comes first in every version.
struct PluginEntry {
  int version;
  const char* torch_version;
  PluginFactory make;
};

/// Changes with PluginShape, PluginFactory or PluginEntry.
inline constexpr int plugin_version = 1;

}  // namespace sheaf

/// Once in a plugin, outside of namespaces.
#define SHEAF_REGISTER_MODEL(function)                                                        \
  extern "C" __attribute__((visibility("default"))) const sheaf::PluginEntry* sheaf_plugin(); \
  extern "C" const sheaf::PluginEntry* sheaf_plugin() {                                       \
    static const sheaf::PluginEntry entry{sheaf::plugin_version, TORCH_VERSION, function};    \
    return &entry;                                                                            \
  }                                                                                           \
  static_assert(true, "a semicolon follows")
