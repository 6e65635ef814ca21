// Lets you train your own C++ modules. Include <sheaf/plugin.hpp> in a shared library, register one function with
// SHEAF_REGISTER_MODEL, and set model.kind = plugin:FILE.so. See jobs/plugin/ for an example and how to compile it. The
// header requires LibTorch and no other file of Sheaf.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/nn/modules/container/any.h>
#include <torch/version.h>

#include <cstdint>

namespace sheaf {

/// The shape of a study's rows.
struct PluginShape {
  std::int64_t features;  ///< per row, flattened
  std::int64_t outputs;   ///< classes, or target columns
  std::int64_t channels;  ///< of the image in a row; 0: rows are not images
  std::int64_t height;
  std::int64_t width;
};

/// Makes a module on the CPU. Its forward(Tensor) takes [rows, features], or [rows, channels, height, width] if rows
/// are images, and returns [rows, outputs]: plain values, or logits. The module chooses its initial weights, which
/// should depend only on `seed`, the seed of the iteration. During the call, LibTorch's generator is seeded with `seed`
/// and is not used by other threads, so modules of torch::nn, which initialize themselves, need no further code.
/// forward() must not draw random numbers: they could not be reproduced, because lanes share LibTorch's generator.
/// Parameters that require no gradient are not trained.
using PluginFactory = torch::nn::AnyModule (*)(const PluginShape& shape, std::uint64_t seed);

/// The properties of a plugin. `version` is the first member in every version.
struct PluginEntry {
  int version;
  const char* torch_version;
  PluginFactory make;
};

/// Increased when PluginShape, PluginFactory or PluginEntry changes.
inline constexpr int plugin_version = 1;

}  // namespace sheaf

/// Registers the factory of a plugin. Use it once per plugin, outside of namespaces.
#define SHEAF_REGISTER_MODEL(function)                                                        \
  extern "C" __attribute__((visibility("default"))) const sheaf::PluginEntry* sheaf_plugin(); \
  extern "C" const sheaf::PluginEntry* sheaf_plugin() {                                       \
    static const sheaf::PluginEntry entry{sheaf::plugin_version, TORCH_VERSION, function};    \
    return &entry;                                                                            \
  }                                                                                           \
  static_assert(true, "requires a semicolon")
