// The run directory of a job: made anew, or found with what an earlier job has left in it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/array_slice.hpp"
#include "commands/train/run_request.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/directory/directory_lock.hpp"
#include "runs/journal/checkpoint_files.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/journal_writer.hpp"
#include "runs/journal/replay.hpp"
#include "runs/search_stages.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A run directory in the hands of this job.
struct OpenRun {
  std::string directory;
  JournalHeader header;
  ArraySlice slice;
  std::vector<DirectoryLock> locks;  ///< on rank 0
  Replay earlier;                    ///< on rank 0: what the journals of earlier attempts know

  /// "sheaf resume runs/x", with the slice of a task.
  std::string resume_command() const;
};

/// The slice that rank 0 is asked to take, on every rank. Throws AgreedError. Collective over world.
ArraySlice agree_on_slice(const ArrayTask& option, const Communicator& world);

/// Against other tasks of the array, while the study's file or its results are written. For rank 0.
std::vector<DirectoryLock> lock_files(const std::string& directory, const ArraySlice& slice);

/// Makes the run directory of the study, or opens it again; the tasks of an array share one, whichever makes it. Throws
/// AgreedError when it holds a run that may not be resumed or was not asked to be, when another job is in it that may
/// not be, or when it cannot be written. `study`: with all settings resolved; `uses_stored_study`: by those of the run
/// that the job joins. `stages`: of the plan, which has the first one; rank 0 adds those that follow from what the run
/// has. None: another task has opened the run meanwhile and resolved the settings otherwise, so that they must be
/// resolved again. Collective over world.
std::optional<OpenRun> open_run(const Study& study, bool uses_stored_study, const RunRequest& request,
                                const JournalHeader& header, const ArraySlice& slice, SearchStages& stages,
                                const Communicator& world);

/// This rank's journal in a new attempt; `checkpoints`, which outlive it, of what is on the disk with it go. Throws
/// AgreedError. Collective over world.
std::unique_ptr<JournalWriter> begin_journal(const OpenRun& run, CheckpointFiles& checkpoints,
                                             const Communicator& world);

}  // namespace sheaf
