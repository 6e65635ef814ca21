// The setup of the lanes of this rank for all stages, and the work of all ranks in one stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "commands/train/training/progress.hpp"
#include "commands/train/training/remaining_work.hpp"
#include "commands/train/training/stop.hpp"
#include "core/clock.hpp"
#include "parallel/devices/placement.hpp"
#include "runs/journal/journal_writer.hpp"
#include "study/run_options.hpp"
#include "training/engine.hpp"

namespace sheaf {

class WorkAhead;

/// Makes the engine of a lane. Called in the thread of the lane.
using EngineFactory = std::function<std::unique_ptr<Engine>(int lane)>;

/// The lanes of this rank.
struct LaneSetup {
  const RunOptions& options;
  EngineFactory make_engine;
  Placement placement;
  JournalWriter* journal = nullptr;        ///< gets the results of this rank; null in benchmarks, which drop them
  ProgressValue progress_value = {};       ///< of which progress shows the best one so far
  Clock::time_point start = Clock::now();  ///< of the training, from which IterationResult::start_seconds counts
};

struct StageWork {
  PartitionKind partition;  ///< settled
  const RemainingIterations& work;
  WorkAhead* ahead = nullptr;             ///< of later stages; null if nothing of them begins early
  std::function<StopCause()> stop_cause;  ///< requested again and again; one rank's is enough
  std::string resume_command = {};        ///< for messages
  std::string position = {};              ///< SearchStages::position_text(), for progress
};

}  // namespace sheaf
