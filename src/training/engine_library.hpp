// The library of an engine that is not a part of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace sheaf {

/// All functions are local and thread-safe.
struct EngineLibrary {
  std::string_view name;     ///< for people, such as "LibTorch"
  std::string_view package;  ///< the package of Sheaf that installs it; empty: the system has it

  /// Whether it is installed, without loading it. Null: only load() finds out.
  bool (*is_installed)() = nullptr;

  /// Its version, such as "1.13.0". The first call loads the library. Throws RunError if it cannot be loaded.
  std::string (*version)() = nullptr;

  /// Whether results depend on its version by more than rounding, so that all ranks and jobs of a run need the same.
  bool version_decides_results = false;

  /// The GPUs that it uses, such as "built without CUDA", for `sheaf info`. Throws as version(). Null: it uses none.
  std::string (*devices)() = nullptr;
};

}  // namespace sheaf
