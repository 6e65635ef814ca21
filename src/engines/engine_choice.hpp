// Which engine trains which trial. It is settled once for a run, for all of its ranks and jobs. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine_table.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// How many times as fast one GPU is expected to train a model of each of some dense trials in LibTorch, one after the
/// other, as `cores` cores are with the native engine, one model on each.
class GpuSpeedup {
 public:
  explicit GpuSpeedup(std::int64_t cores) : cores_(cores) {}

  void add(const TrialEstimate& estimate);
  /// After at least one estimate.
  double value() const { return core_seconds_ / gpu_seconds_; }

 private:
  const std::int64_t cores_;
  double gpu_seconds_ = 0, core_seconds_ = 0;  // summed over the trials
};

/// Of a job without GPUs.
inline constexpr double no_gpu = 0;

/// An engine, with the reason where it is not the first of the table.
struct EngineChoice {
  const EngineEntry* engine;
  std::optional<std::string> reason;
};

/// "native", "torch (a cnn has convolutions)"
std::string described(std::string_view name, const std::optional<std::string>& reason);

/// The engine of a trial. `speedup`: GpuSpeedup of all dense trials of the plan where a rank has a GPU, else no_gpu;
/// only EngineKind::automatic uses it. run.device = cuda chooses the GPU even where it is slower.
EngineChoice choose_engine(const Trial& trial, const RunOptions& run, double speedup);

/// The engine of a trial in a run, whose run.engine is settled; EngineKind::automatic means by_model.
const EngineEntry& engine_of(const Trial& trial, EngineKind settled);

/// What EngineKind::automatic becomes when a run is opened; the other kinds stay. Never automatic. `speedup`: as for
/// choose_engine.
EngineKind settled_engine(const Plan& plan, const RunOptions& run, double speedup);

/// Throws UsageError if run.engine names an engine that cannot train a trial: with the first such trial.
void require_engine(const Plan& plan, const RunOptions& run);

}  // namespace sheaf
