// The native engine: linear models and MLPs on a CPU, trained in the core's own caches without a framework.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "training/trainer.hpp"

namespace sheaf {

/// Trains dense layers alone, with one thread. Its tasks evaluate only the rows that their split holds out. Memory and
/// products are made anew only where a task's trial, layers or numbers of rows are not those of the task before.
std::unique_ptr<Trainer> make_native_trainer();

/// What the native engine runs on here, e.g. "AVX2, products by LIBXSMM 1.17 (hsw)". Local.
std::string native_engine_info();

/// Whether its products are left to BLAS: LIBXSMM is missing or has no code for this processor. Local.
bool native_engine_needs_blas();

}  // namespace sheaf
