// The native engine trains linear models and MLPs on a CPU core, in its caches and without a framework.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "training/trainer.hpp"

namespace sheaf {

/// Makes a trainer for networks of dense layers, with one thread. Tasks may evaluate only the validation rows of their
/// split. Memory and products are reused if the previous task had the same layers, numbers of rows, batch size,
/// precision, number of optimizer states and averaging, also for another trial.
std::unique_ptr<Trainer> make_native_trainer();

/// The instruction set and the library for products on this machine, e.g. "AVX2, products by LIBXSMM 1.17 (hsw)".
/// Local.
std::string native_engine_info();

/// Whether products use BLAS, because LIBXSMM is missing or does not support this processor. Local.
bool native_engine_needs_blas();

}  // namespace sheaf
