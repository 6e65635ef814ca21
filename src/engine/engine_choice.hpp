// Which engine trains what: the resident one wherever it can, LibTorch everything else. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "options/study.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// Why LibTorch trains a trial, on a rank with or without a GPU; empty: the resident engine trains it.
std::string torch_reason(const Trial& trial, const RunOptions& run, bool on_gpu);

/// Throws UsageError with the first trial that the resident engine cannot train when `run.engine = resident`.
void require_engine(const Plan& plan, const RunOptions& run, bool on_gpu);

}  // namespace sheaf
