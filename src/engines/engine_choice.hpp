// Chooses the engine for each trial and lane. run.engine = auto is settled once per run, for all of its ranks and jobs.
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
#include "study/run_options.hpp"
#include "training/stack_width.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// The expected speedup of one GPU over `cores` cores for a set of trials. The GPU trains estimate.together models at a
/// time, and each core one. Both use their fastest engine of the table.
class GpuSpeedup {
 public:
  GpuSpeedup(const DataShape& shape, std::int64_t cores) : shape_(shape), cores_(cores) {}

  /// `weight`: proportional to the number of trials like `trial`. `models`: so many of them that a lane with a GPU may
  /// train together; if it has more slots, or not a multiple, some are idle.
  void add(const Trial& trial, const TrialEstimate& estimate, double weight, double models = 1);
  /// Requires at least one trial.
  double value() const { return core_seconds_ / gpu_seconds_; }

 private:
  const DataShape shape_;
  const std::int64_t cores_;
  double gpu_seconds_ = 0, core_seconds_ = 0;  // summed over the trials
};

/// The value for a job without GPUs.
inline constexpr double no_gpu = 0;

/// An engine, with the reason if it is not the first of the table. If no engine fits, `engine` is null and `reason`
/// explains why.
struct EngineChoice {
  const EngineEntry* engine;
  std::optional<std::string> reason;
};

/// An engine's name and the reason as text: "native" or "torch (the network has convolutions)".
std::string described(std::string_view name, const std::optional<std::string>& reason);

/// The engine for a trial in a lane with this device. An engine set by run.engine is returned even if it refuses the
/// trial. With `auto`, it is the one with the least expected time in this lane, of those that can train
/// the trial and use what the lane shall use: its GPU if `speedup` is above 1 or run.device = cuda, otherwise cores,
/// with run.threads > 1 several. `speedup`: GpuSpeedup of the plan's trials with has_core_engine() if a rank has a GPU,
/// else no_gpu.
EngineChoice choose_engine(const Trial& trial, const DataShape& shape, const RunOptions& run, double speedup,
                           LaneDevice device);

/// The engine for a trial in a lane of a run. `settled`: run.engine of the settled study, which must have passed
/// require_engine(); `auto` means by_model. Only with EngineKind::by_device does it depend on whether
/// the lane has a GPU, if both kinds of lanes can train the trial.
const EngineEntry& engine_of(const Trial& trial, const DataShape& shape, AutoOr<EngineKind> settled, LaneDevice device);

/// The first engine of the table that can train the trial on a GPU; null if there is none.
const EngineEntry* gpu_engine(const Trial& trial, const DataShape& shape);

/// Whether EngineKind::by_model trains the trial on cores even in a lane with a GPU.
bool has_core_engine(const Trial& trial, const DataShape& shape);

/// The value of run.engine for the settled study: replaces `auto` and returns other kinds unchanged.
/// `devices`: one of each kind that the lanes of the job have. `speedup`: see choose_engine().
EngineKind settled_engine(const Plan& plan, const DataShape& shape, const RunOptions& run, double speedup,
                          const std::vector<LaneDevice>& devices);

/// The shape of the stacks in which an engine trains a trial on `training_rows` rows, but without the scaling of the
/// features; no value if it cannot.
std::optional<StackShape> shape_of_stack(const EngineEntry& engine, const Trial& trial, const DataShape& shape,
                                         std::int64_t training_rows);

/// The estimate with the models of the trial that a lane with this device trains together, stack_width(), and their
/// memory; unchanged if they cannot share a stack. `settled`: as in engine_of().
TrialEstimate with_stack(TrialEstimate estimate, const Trial& trial, const DataShape& shape, AutoOr<EngineKind> settled,
                         LaneDevice device, const StackSize& size, std::int64_t training_rows);

/// Why lanes with this device cannot train the trial in a stack; no value if they can. `settled`: as in engine_of().
std::optional<std::string> stacking_obstacle(const Trial& trial, const DataShape& shape, AutoOr<EngineKind> settled,
                                             LaneDevice device);

/// Same, for all trials of the plan: no value if they can train one of them.
std::optional<std::string> stacking_obstacle(const Plan& plan, const DataShape& shape, AutoOr<EngineKind> settled,
                                             LaneDevice device);

/// Throws UsageError if run.stack > 1 has no effect because no lane can train any trial of the plan in a stack.
void require_stack(const Plan& plan, const DataShape& shape, const RunOptions& run,
                   const std::vector<LaneDevice>& devices);

/// Whether lanes with this device can train all trials of the plan. `run`: of the settled study.
bool can_train(const Plan& plan, const DataShape& shape, const RunOptions& run, LaneDevice device);

/// Throws for the first trial that a lane with one of these devices cannot train: UsageError if the trial needs another
/// value of run.engine, RunError if no engine can train it.
void require_engine(const Plan& plan, const DataShape& shape, const RunOptions& run,
                    const std::vector<LaneDevice>& devices);

}  // namespace sheaf
