// The end of a job that leaves iterations to be trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "commands/train/finish/end_of_run.hpp"
#include "core/error.hpp"
#include "core/index_range.hpp"
#include "runs/journal/result_store.hpp"
#include "study/array_slice.hpp"

namespace sheaf {

/// The progress of a stage, in iterations.
struct StageCounts {
  std::int64_t total = 0;       ///< in the job's slice
  std::int64_t left = 0;        ///< in the slice, without a result
  std::int64_t recorded = 0;    ///< in the slice, with a result or failed
  std::int64_t stage_left = 0;  ///< in the whole stage, without a result
};

/// The progress of an array task, from the journals of all tasks. Pure.
StageCounts counts_of(const ResultStore& results, const ArraySlice& slice, IndexRange stage);

/// Logs what remains and how to continue, and returns the exit code. `stage`: SearchStages::last_stage_text(). Throws
/// RunError if results are missing without a cause. Local, for rank 0.
ExitCode report_incomplete(const EndOfRun& end, const std::string& stage, const StageCounts& counts);

}  // namespace sheaf
