// Runs the kernel of stack updates on CPU cores, with OpenCL.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "engines/libtorch/update_kernel.hpp"

namespace sheaf::test {

/// A device of OpenCL that runs on cores, with the program of fused_update.cl. For one thread.
class OpenClProgram {
 public:
  /// Whether there is such a device, for example that of PoCL.
  static bool has_device();

  /// Compiles the program. `sources`: the folder src. `options`: for the compiler. Throws std::runtime_error with the
  /// messages of the compiler.
  OpenClProgram(const std::string& sources, const std::string& options);
  ~OpenClProgram();
  OpenClProgram(OpenClProgram&&) noexcept;

  /// Runs the kernel on tensors of the CPU, and waits for it.
  void update(const StackShape& shape, const StackBatch& batch, StackState& state, int fused) const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace sheaf::test
