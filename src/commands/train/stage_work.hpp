// What all ranks train together, and what one of them brings.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "commands/train/remaining_work.hpp"
#include "commands/train/stop.hpp"
#include "core/clock.hpp"
#include "parallel/devices/placement.hpp"
#include "runs/journal/journal_writer.hpp"
#include "study/study.hpp"
#include "training/engine.hpp"

namespace sheaf {

/// Makes the engine of the lane of that number, in the lane's own thread.
using EngineFactory = std::function<std::unique_ptr<Engine>(int lane)>;

struct StageWork {
  const RunOptions& options;
  PartitionKind partition;  ///< settled
  const WorkList& work;
  EngineFactory make_engine;
  Placement placement;
  JournalWriter* journal = nullptr;        ///< gets what this rank trains; null, for measurements: it is dropped
  std::function<StopCause()> stop_cause;   ///< asked again and again; one rank's is enough
  std::string resume_command = {};         ///< for messages
  Clock::time_point start = Clock::now();  ///< of the training, from which IterationResult::start_seconds counts
};

}  // namespace sheaf
