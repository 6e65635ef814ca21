// Which engine trains which trial. It is settled once for a run, for all of its ranks and jobs. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "options/study.hpp"
#include "plan/iteration_record.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// The engine of a trial. EngineKind::automatic, which no run has, means by_model.
TrainedBy engine_of(const Trial& trial, EngineKind engine);

/// Why LibTorch trains a trial; empty: the resident engine trains it. `on_gpu`: some rank has a GPU, which matters to
/// EngineKind::automatic alone.
std::string torch_reason(const Trial& trial, const RunOptions& run, bool on_gpu);

/// What EngineKind::automatic becomes when a run is opened; the other kinds stay. Never automatic. LibTorch trains
/// dense models, too, if a rank has a GPU or run.threads > 1; else the resident engine does.
EngineKind settled_engine(const Plan& plan, const RunOptions& run, bool on_gpu);

/// Throws UsageError with the first trial that the resident engine cannot train when `run.engine = resident`.
void require_engine(const Plan& plan, const RunOptions& run);

}  // namespace sheaf
