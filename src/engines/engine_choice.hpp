// Which engine trains which trial in which lane. What is open is settled once for a run, for all of its ranks and jobs.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine_table.hpp"
#include "models/network_layout.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// How many times as fast one GPU is expected to train a model of each of some trials, one after the other, as `cores`
/// cores are, one model on each; each by the engine of the table that is fastest there.
class GpuSpeedup {
 public:
  GpuSpeedup(const DataShape& shape, std::int64_t cores) : shape_(shape), cores_(cores) {}

  void add(const Trial& trial, const TrialEstimate& estimate);
  /// After at least one trial.
  double value() const { return core_seconds_ / gpu_seconds_; }

 private:
  const DataShape shape_;
  const std::int64_t cores_;
  double gpu_seconds_ = 0, core_seconds_ = 0;  // summed over the trials
};

/// Of a job without GPUs.
inline constexpr double no_gpu = 0;

/// An engine, with the reason where it is not the first of the table; without an engine, why there is none.
struct EngineChoice {
  const EngineEntry* engine;
  std::optional<std::string> reason;
};

/// "native", "torch (a cnn has convolutions)"
std::string described(std::string_view name, const std::optional<std::string>& reason);

/// The engine of a trial in a lane with that device; that of run.engine even where it refuses the trial. `speedup`:
/// GpuSpeedup of the plan's trials with has_core_engine() where a rank has a GPU, else no_gpu; only
/// EngineKind::automatic uses it. run.device = cuda chooses the GPU even where it is slower.
EngineChoice choose_engine(const Trial& trial, const DataShape& shape, const RunOptions& run, double speedup,
                           LaneDevice device);

/// The engine of a trial in a lane of a run, whose run.engine is settled and which require_engine() lets pass;
/// EngineKind::automatic means by_model.
const EngineEntry& engine_of(const Trial& trial, const DataShape& shape, EngineKind settled, LaneDevice device);

/// Whether EngineKind::by_model trains the trial on cores even in a lane with a GPU.
bool has_core_engine(const Trial& trial, const DataShape& shape);

/// What EngineKind::automatic becomes when a run is opened; the other kinds stay. Never automatic. `devices`: one of
/// each kind that lanes of the job have. `speedup`: as for choose_engine.
EngineKind settled_engine(const Plan& plan, const DataShape& shape, const RunOptions& run, double speedup,
                          const std::vector<LaneDevice>& devices);

/// Throws for the first trial that a lane with one of these devices cannot train: UsageError if another value of
/// run.engine could, RunError if no engine can.
void require_engine(const Plan& plan, const DataShape& shape, const RunOptions& run,
                    const std::vector<LaneDevice>& devices);

}  // namespace sheaf
