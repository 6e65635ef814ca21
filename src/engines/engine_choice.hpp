// Which engine trains which trial. It is settled once for a run, for all of its ranks and jobs. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/iteration_result.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// The engine of a trial. EngineKind::automatic, which no run has, means by_model.
TrainedBy engine_of(const Trial& trial, EngineKind engine);

/// How many times as fast one GPU is expected to train a model of each of these dense trials in LibTorch, one after the
/// other, as `cores` cores are with the native engine, one model on each. An estimate by order of magnitude, from
/// constants: the same everywhere.
double gpu_speedup(const std::vector<TrialEstimate>& estimates, std::int64_t cores);

/// Of a job without GPUs.
inline constexpr double no_gpu = 0;

/// Why LibTorch trains a trial; empty: the native engine trains it. `speedup`: gpu_speedup() of all dense trials of
/// the plan where a rank has a GPU, else no_gpu; only EngineKind::automatic uses it. run.device = cuda chooses the GPU
/// even where it is slower.
std::string torch_reason(const Trial& trial, const RunOptions& run, double speedup);

/// What EngineKind::automatic becomes when a run is opened; the other kinds stay. Never automatic. `speedup`: as for
/// torch_reason.
EngineKind settled_engine(const Plan& plan, const RunOptions& run, double speedup);

/// Throws UsageError with the first trial that the native engine cannot train when `run.engine = native`.
void require_engine(const Plan& plan, const RunOptions& run);

}  // namespace sheaf
