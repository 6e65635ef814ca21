// SPDX-License-Identifier: MIT
#include "commands/train/open_run.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "commands/train/stored_run.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "files/directories.hpp"
#include "files/output_file.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {
namespace {

// Reads the results of earlier jobs and adds the stages that follow from them. For rank 0, under the lock.
Replay replay_earlier(const std::string& directory, const RunRequest& request, const JournalHeader& header,
                      const ArraySlice& slice, SearchStages& stages) {
  RunProgress progress = RunReader(directory).progress(stages, header, request.force);
  begin_log_times();
  for (const auto& warning : progress.journals.warnings) warn_root(warning);
  std::int64_t own = 0;
  for (const IndexRange& range : progress.left) own += slice.count(range);
  const IndexRange stage = stages.last_iterations();
  log_root(slice.is_whole() ? fmt::format("resuming '{}': {} of {}{} left", directory, own,
                                          counted(stage.count(), "iteration"), stages.last_stage_text())
                            : fmt::format("task {}/{} of '{}': {} of its {}{} left", slice.task, slice.tasks, directory,
                                          own, counted(slice.count(stage), "iteration"), stages.last_stage_text()));
  return std::move(progress.journals);
}

// Locks the directory exclusively for a job that trains the whole study. An array task shares that lock and locks its
// slice exclusively. Adds each lock to `locks` before it tries the next one.
void lock_run(const std::string& directory, const ArraySlice& slice, std::vector<DirectoryLock>& locks) {
  locks.emplace_back(directory, "lock", slice.is_whole() ? Hold::alone : Hold::shared);
  if (!slice.is_whole()) locks.emplace_back(directory, fmt::format("lock-{}-of-{}", slice.task, slice.tasks));
}

// Refuses journals without study.cfg, since their study is unknown.
void require_empty(const std::string& directory) {
  require_no_run(directory);
  require(
      list_journals(directory).empty(),
      fmt::format("'{}' has journals but no study.cfg. Choose another run.output, or remove the journals.", directory));
}

// Returns the stored study of the run that the job joins. Otherwise begins the run with `study` and returns nothing.
// For rank 0, under the lock; array tasks also need lock_shared_files().
std::optional<Study> begin_or_join(const std::string& directory, const Study& study, const RunRequest& request,
                                   const ArraySlice& slice) {
  for (const auto& inner : {checkpoint_directory(directory), models_directory(directory)})
    require_directory_or_nothing(inner);
  if (joins_run(directory, request, slice)) return RunReader(directory).study(request.force);
  require_empty(directory);
  write_study(directory, study);
  return std::nullopt;
}

}  // namespace

std::string OpenRun::resume_command() const {
  return resume_command_of(directory) +
         (slice.is_whole() ? "" : fmt::format(" --run.array={}/{}", slice.task, slice.tasks));
}

ArraySlice agree_on_slice(const ArrayTask& option, const Communicator& world) {
  std::vector<ArraySlice> slice;
  agree(world, [&] {
    if (world.is_root()) slice.push_back(choose_slice(option, slurm_array()));
  });
  world.broadcast_vector(slice);
  return slice.front();
}

std::vector<DirectoryLock> lock_shared_files(const std::string& directory, const ArraySlice& slice) {
  std::vector<DirectoryLock> locks;
  if (!slice.is_whole()) locks.emplace_back(directory, "lock-files", Hold::in_turn);
  return locks;
}

std::optional<OpenRun> open_run(const Study& study, bool uses_stored_study, const RunRequest& request,
                                const JournalHeader& header, const ArraySlice& slice, SearchStages& stages,
                                const Communicator& world) {
  const std::string directory = run_directory(study);
  std::vector<DirectoryLock> locks;
  Replay earlier;
  bool settled_otherwise = false;
  const auto open = [&] {
    if (!world.is_root()) return;
    // A finished run is refused without locking it.
    if (!joins_run(directory, request, slice) && holds_results(directory)) require_no_run(directory);
    try {
      lock_run(directory, slice, locks);
      const std::size_t run_locks = locks.size();
      for (auto& lock : lock_shared_files(directory, slice)) locks.push_back(std::move(lock));
      const std::optional<Study> stored = begin_or_join(directory, study, request, slice);
      settled_otherwise = stored && !uses_stored_study && !differing_keys(study, *stored).empty();
      if (settled_otherwise) return locks.clear();
      if (stored) require_same_study(directory, study, *stored);
      while (locks.size() > run_locks) locks.pop_back();
      if (stored || !slice.is_whole()) earlier = replay_earlier(directory, request, header, slice, stages);
    } catch (...) {
      for (auto lock = locks.rbegin(); lock != locks.rend(); ++lock) lock->discard();
      throw;
    }
  };
  agree_in_background(world, open, without_limit());  // a replay may take a long time
  if (world.maximum(std::int64_t{settled_otherwise}) > 0) return std::nullopt;
  return OpenRun{directory, header, slice, std::move(locks), std::move(earlier)};
}

std::unique_ptr<JournalWriter> begin_journal(const OpenRun& run, CheckpointFiles& checkpoints,
                                             const Communicator& world) {
  std::string attempt;
  agree(world, [&] {
    if (world.is_root()) attempt = begin_attempt(run.directory);
  });
  attempt = world.broadcast(attempt, 0);
  std::unique_ptr<JournalWriter> journal;
  const auto discard = [&checkpoints](std::int64_t iteration) { checkpoints.discard(iteration); };
  agree(world,
        [&] { journal = std::make_unique<JournalWriter>(journal_path(attempt, world.rank()), run.header, discard); });
  agree(world, [&] {
    if (world.is_root()) sync_directory(attempt);  // once, since it has a file of each rank
  });
  return journal;
}

}  // namespace sheaf
