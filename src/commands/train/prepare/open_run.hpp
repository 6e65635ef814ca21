// Creates the run directory of a job, or opens that of earlier jobs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/prepare/array_slice.hpp"
#include "commands/train/prepare/run_request.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/directory/directory_lock.hpp"
#include "runs/journal/checkpoint_files.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/journal_writer.hpp"
#include "runs/journal/replay.hpp"
#include "runs/search_stages.hpp"

namespace sheaf {

class SettledStudy;
struct Study;

/// A run directory that this job has opened and locked.
struct OpenRun {
  std::string directory;
  JournalHeader header;
  ArraySlice slice;
  std::vector<DirectoryLock> locks;  ///< on rank 0
  Replay earlier;                    ///< on rank 0: results in the journals of earlier attempts

  /// "sheaf resume runs/x", with run.array for an array task.
  std::string resume_command() const;
};

/// The slice of this job, by run.array, the environment of rank 0 and the numbering that is stored in the run
/// directory. Throws AgreedError. Collective over world.
ArraySlice agree_on_slice(const Study& study, const Communicator& world);

/// Locks out other tasks of the array while study.cfg or the results are written. Waits for the lock. For rank 0.
std::vector<DirectoryLock> lock_shared_files(const std::string& directory, const ArraySlice& slice);

/// Creates the run directory of the study, or opens an existing one to resume its run. Without run.output, a new run
/// goes to the first of runs/NAME, runs/NAME-2, ... that has no finished run and that no other job uses. The tasks of
/// an array share one directory; the first task creates it. `uses_stored_study`: whether it was
/// settled with the stored choices of the run. `stages`: of the plan, which has the first stage; rank 0 adds the stages
/// that follow from earlier results. Returns nothing if another task has opened the run in the meantime with other
/// choices; the study must then be settled again. Throws AgreedError if the directory has a run that cannot be resumed
/// or `request` does not resume it, if another job uses it, or if it cannot be written. Collective over world.
std::optional<OpenRun> open_run(const SettledStudy& study, bool uses_stored_study, const RunRequest& request,
                                const JournalHeader& header, const ArraySlice& slice, SearchStages& stages,
                                const Communicator& world);

/// Begins a new attempt and returns the journal of this rank. When the result of an iteration is on disk, and no later
/// stage continues its training, the journal removes its checkpoints from `checkpoints`. `plan` and `checkpoints`
/// outlive the journal, which reads them in its own thread: stages are added only after results_so_far(). Throws
/// AgreedError. Collective over world.
std::unique_ptr<JournalWriter> begin_journal(const OpenRun& run, const Plan& plan, CheckpointFiles& checkpoints,
                                             const Communicator& world);

}  // namespace sheaf
