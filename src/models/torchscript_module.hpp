// The TorchScript module of a saved model, as data: its tensors and its functions. Does not need LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/saved_model.hpp"

namespace sheaf {

/// A tensor of a module. It is row-major, and in the byte order of the machine.
struct ModuleTensor {
  enum class Role { parameter, buffer };
  enum class Type { float32, float64, int64 };
  std::string name;
  Role role = Role::buffer;
  Type type = Type::float32;
  std::vector<std::int64_t> sizes;
  std::string_view bytes;               ///< in the SavedModel or in `owner`
  std::shared_ptr<const void> owner{};  ///< null if the bytes are in the SavedModel

  std::int64_t count() const;
};

/// A module in evaluation mode, with the boolean attribute `training`. It takes raw features of any type,
/// [rows, features] or [rows, C, H, W], subtracts the buffer `offset`, replaces NaN by `fill`, scales with `shift` and
/// `scale`, and returns outputs [rows, outputs]: plain values, plus `target_offset`, or logits; with the loss poisson
/// their exponentials. Offsets are float64, as are outputs with offsets.
struct TorchscriptModule {
  std::vector<ModuleTensor> tensors;
  std::vector<std::string> functions;  ///< their source code; each calls only those before it
};

/// The module of a model that is not a plugin. The parameters of its layers require gradients, so that it can be
/// trained further. The module of a model from a TorchScript file has no layers and calls a submodule `module`.
/// `trained` must outlive the result. Pure.
TorchscriptModule torchscript_module(const SavedModel& trained);

}  // namespace sheaf
