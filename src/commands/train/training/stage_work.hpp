// The setup of the lanes of this rank for all stages, and the work of all ranks in one stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "commands/train/training/progress.hpp"
#include "commands/train/training/remaining_work.hpp"
#include "commands/train/training/stop.hpp"
#include "core/clock.hpp"
#include "parallel/devices/placement.hpp"
#include "runs/journal/journal_writer.hpp"
#include "study/plan.hpp"
#include "study/run_options.hpp"
#include "training/engine.hpp"

namespace sheaf {

class GradualStage;
class StageObserver;
class WorkAhead;

/// Makes the engine of a lane. Called in the thread of the lane.
using EngineFactory = std::function<std::unique_ptr<Engine>(int lane)>;

/// The lanes of this rank.
struct LaneSetup {
  const RunOptions& options;
  EngineFactory make_engine;
  Placement placement;
  JournalWriter* journal = nullptr;        ///< gets the results of this rank; null in benchmarks, which drop them
  const Plan* plan = nullptr;              ///< whose drawn values are journaled; null in benchmarks
  ProgressValue progress_value = {};       ///< of which progress shows the best one so far
  Clock::time_point start = Clock::now();  ///< of the training, from which IterationResult::start_seconds counts
};

struct StageWork {
  PartitionKind partition;  ///< settled
  const RemainingIterations& work;
  std::int64_t work_at_start;         ///< positions of `work` that lanes may train at once; the observer adds others
  StageObserver* observer = nullptr;  ///< one of the next two, or null
  WorkAhead* ahead = nullptr;         ///< of later stages; null if nothing of them begins early
  GradualStage* gradual = nullptr;    ///< null if all iterations may be trained at once
  std::function<StopCause()> stop_cause;  ///< requested again and again; one rank's is enough
  std::string advice = {};                ///< for the message if other hosts do not answer: complete sentences
  Progress* progress = nullptr;           ///< on rank 0; null: none is shown
  std::int64_t done_before = 0;           ///< iterations that progress counts as finished at the start
};

}  // namespace sheaf
