// SPDX-License-Identifier: MIT
#include "commands/train/open_run.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "commands/train/stored_run.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "files/directories.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"

namespace sheaf {
namespace {

// What other jobs have done. For rank 0, under the lock.
Replay find_earlier(const std::string& directory, const RunRequest& request, const JournalHeader& header,
                    std::int64_t total) {
  require(!list_journals(directory).empty() || !holds_results(directory),
          fmt::format("'{}' holds results without a journal (it cannot be known what is done). Choose another "
                      "run.output.",
                      directory));
  Replay replay = replay_journals(directory, header, total, request.force);
  for (const auto& warning : replay.warnings) warn_root(warning);
  return replay;
}

// A job that takes the whole study is alone in the directory; a task of an array keeps out that, and itself. Adds to
// `locks` what it has, also when it fails.
void lock_run(const std::string& directory, const ArraySlice& slice, std::vector<DirectoryLock>& locks) {
  locks.emplace_back(directory, "lock", slice.is_whole() ? Hold::alone : Hold::shared);
  if (!slice.is_whole()) locks.emplace_back(directory, fmt::format("lock-{}-of-{}", slice.task, slice.tasks));
}

// Journals without a study file belong to a study that nobody knows.
void require_empty(const std::string& directory) {
  require_no_run(directory);
  require(
      list_journals(directory).empty(),
      fmt::format("'{}' holds the journals of a run without its study.cfg. Choose another run.output, or remove them.",
                  directory));
}

// Returns the stored study of the run to join; where there is none, begins the run with `study` and returns nothing.
// For rank 0, under the lock; tasks of an array take turns.
std::optional<Study> begin_or_join(const std::string& directory, const Study& study, const RunRequest& request,
                                   const ArraySlice& slice) {
  for (const auto& inner : {checkpoint_directory(directory), models_directory(directory)})
    require_directory_or_nothing(inner);
  if (joins_run(directory, request, slice)) return read_stored_study(directory, request);
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

std::vector<DirectoryLock> lock_files(const std::string& directory, const ArraySlice& slice) {
  std::vector<DirectoryLock> locks;
  if (!slice.is_whole()) locks.emplace_back(directory, "lock-files", Hold::in_turn);
  return locks;
}

std::optional<OpenRun> open_run(const Study& study, bool uses_stored_study, const RunRequest& request,
                                const JournalHeader& header, std::int64_t total, const ArraySlice& slice,
                                const Communicator& world) {
  const std::string directory = run_directory(study);
  std::vector<DirectoryLock> locks;
  Replay earlier;
  bool settled_otherwise = false, is_joined = false;
  const auto open = [&] {
    if (!world.is_root()) return;
    // A finished run is not even locked.
    if (!joins_run(directory, request, slice) && holds_results(directory)) require_no_run(directory);
    try {
      lock_run(directory, slice, locks);
      const std::size_t run_locks = locks.size();
      for (auto& turn : lock_files(directory, slice)) locks.push_back(std::move(turn));
      const std::optional<Study> stored = begin_or_join(directory, study, request, slice);
      settled_otherwise = stored && !uses_stored_study && !differing_keys(study, *stored).empty();
      if (settled_otherwise) return locks.clear();
      if (stored) require_same_study(directory, study, *stored);
      while (locks.size() > run_locks) locks.pop_back();
      is_joined = stored || !slice.is_whole();
      if (is_joined) earlier = find_earlier(directory, request, header, total);
    } catch (...) {
      for (auto lock = locks.rbegin(); lock != locks.rend(); ++lock) lock->discard();
      throw;
    }
  };
  agree_in_background(world, open, without_limit());  // a replay may take long
  if (world.maximum(std::int64_t{settled_otherwise}) > 0) return std::nullopt;
  return OpenRun{directory, header, slice, std::move(locks), is_joined, total, std::move(earlier)};
}

std::unique_ptr<JournalWriter> begin_journal(const OpenRun& run, CheckpointFiles& checkpoints,
                                             const Communicator& world) {
  std::string attempt;
  agree(world, [&] {
    if (world.is_root()) attempt = begin_attempt(run.directory);
  });
  attempt = world.broadcast(attempt, 0);
  std::unique_ptr<JournalWriter> journal;
  const auto discard = [&checkpoints](const IterationResult& result) { checkpoints.discard(result.iteration); };
  agree(world,
        [&] { journal = std::make_unique<JournalWriter>(journal_path(attempt, world.rank()), run.header, discard); });
  return journal;
}

}  // namespace sheaf
