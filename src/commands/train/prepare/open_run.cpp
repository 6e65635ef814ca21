// SPDX-License-Identifier: MIT
#include "commands/train/prepare/open_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "commands/train/prepare/stored_run.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "files/directories.hpp"
#include "files/output_file.hpp"
#include "files/regular_file.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/run_jobs.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/run_reader.hpp"
#include "study/combinations.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// A note if earlier jobs have used GPUs, and this job uses none or others. Names are escaped().
std::optional<std::string> note_on_other_gpus(const std::vector<std::optional<JournalHeader>>& earlier,
                                              const std::set<std::string>& own) {
  std::set<std::string> before, others = own;
  for (const auto& header : earlier)
    if (header && header->platform && header->platform->gpu) before.insert(*header->platform->gpu);
  for (const auto& name : before) others.erase(name);
  if (before.empty() || (others.empty() && !own.empty())) return std::nullopt;
  const auto names = [](const std::set<std::string>& set) { return printable(listed({set.begin(), set.end()})); };
  return fmt::format("earlier jobs of the run used {}, this one uses {}: results agree to rounding", names(before),
                     own.empty() ? "cores" : names(own));
}

// Reads the results of earlier jobs and adds the stages that follow from them. For rank 0, under the lock.
// `gpus`: names of the GPUs of all ranks.
Replay replay_earlier(const std::string& directory, const RunRequest& request, const JournalHeader& header,
                      const std::set<std::string>& gpus, const ArraySlice& slice, bool has_trial_count,
                      SearchStages& stages) {
  RunProgress progress = RunReader(directory).progress(stages, header, request.force);
  begin_log_times();
  for (const auto* warnings : {&progress.journals.accepted_differences, &progress.journals.warnings})
    for (const auto& warning : *warnings) warn_root(warning);
  std::int64_t own = 0;
  for (const IndexRange& range : progress.left) own += slice.count(range);
  const IndexRange stage = stages.last_iterations();
  const bool has_total = has_trial_count || progress.left.empty();
  log_root(!has_total ? fmt::format("resuming '{}'", directory)
           : slice.is_whole()
               ? fmt::format("resuming '{}': {} of {}{} left", directory, own, counted(stage.count(), "iteration"),
                             stages.last_stage_text())
               : fmt::format("task {}/{} of '{}': {} of its {}{} left", slice.task, slice.tasks, directory, own,
                             counted(slice.count(stage), "iteration"), stages.last_stage_text()));
  const auto note = note_on_other_gpus(progress.journals.headers, gpus);
  if (note && own > 0) log_root(*note);
  return std::move(progress.journals);
}

// Locks the directory exclusively for a job that trains the whole study. An array task shares that lock and locks its
// slice exclusively. Adds each lock to `locks` before it tries the next one.
void lock_run(const std::string& directory, const ArraySlice& slice, std::vector<DirectoryLock>& locks) {
  locks.emplace_back(directory, "lock", slice.is_whole() ? Hold::alone : Hold::shared);
  if (!slice.is_whole()) locks.emplace_back(directory, task_lock_name(slice.task, slice.tasks));
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
std::optional<SettledStudy> begin_or_join(const std::string& directory, const SettledStudy& study,
                                          const RunRequest& request, const ArraySlice& slice) {
  for (const auto& inner : {checkpoint_directory(directory), models_directory(directory)})
    require_directory_or_nothing(inner);
  if (joins_run(directory, request, slice)) {
    if (slice.is_whole()) remove_unfinished_files(directory);
    return RunReader(directory).study(request.force);
  }
  require_empty(directory);
  write_study(directory, study);
  return std::nullopt;
}

void require_whole_study(const std::string& directory, const ArraySlice& slice) {
  if (!slice.is_whole())
    throw UsageError(
        fmt::format("an array task cannot change the number of iterations of '{}' (the tasks divide them among "
                    "themselves). Change it with one job: {} --run.array=none.",
                    directory, resume_command_of(directory)));
}

// Stores another number of iterations, or other lists and ranges of new trials. The result files stay. A job that is
// killed in between leaves an unfinished run of the old study. For rank 0, under the lock.
void change_extent(const std::string& directory, const Study& study, const Study& stored) {
  keep_earlier_results(directory, static_cast<std::int64_t>(planned_iterations(stored)));
  // Trials that had begun without a result get other values.
  if (const auto& earlier = study.search.earlier; earlier != stored.search.earlier)
    remove_other_checkpoints(directory,
                             [&](const IterationKey& training) { return training.trial < earlier.back().trials; });
  write_next_study(directory, SettledStudy(with_extent_of(study, stored)));
  const std::string path = latest_study_path(directory);
  log_root(study.search.earlier == stored.search.earlier
               ? fmt::format("the study of the run is now '{}'", path)
               : fmt::format("the study of the run is now '{}' (trials from number {} on have the new values)", path,
                             study.search.earlier.back().trials));
}

// For a job that cannot begin its run.
void discard_locks(std::vector<DirectoryLock>& locks) {
  for (auto lock = locks.rbegin(); lock != locks.rend(); ++lock) lock->discard();
  locks.clear();
}

std::string numbering_path(const std::string& directory) {
  return directory + "/journal/slurm-array";
}

std::optional<ArrayNumbering> stored_numbering(const std::string& directory) {
  constexpr std::int64_t most_bytes = 1000;
  std::error_code ignored;
  const std::string path = numbering_path(directory);
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  return parse_numbering(RegularFile(path).read(most_bytes));
}

// For rank 0, under lock_shared_files().
void store_numbering(const std::string& directory, const ArraySlice& slice) {
  if (slice.step == 0 || slice.is_whole()) return;
  const std::string text = numbering_text({slice.first_id, slice.step, slice.tasks});
  const auto stored = stored_numbering(directory);
  if (!stored || numbering_text(*stored) != text) write_whole_file(numbering_path(directory), text);
}

// The tasks of an array do not know each other's results while they train.
void require_independent_trials(const Study& study) {
  if (!study.search.is_gradual()) return;
  const char* const key = study.search.method_row().learns      ? "search.method"
                          : study.search.racing != Racing::none ? "search.racing"
                          : study.search.time > 0               ? "search.time"
                                                                : "search.patience";
  throw UsageError(
      fmt::format("{} = {} cannot be divided among the tasks of a job array (trials depend on the results of other "
                  "tasks). Use one job with more ranks, and run.array = none if it is a task of an array.",
                  key, setting_text(study, key)));
}

}  // namespace

std::string OpenRun::resume_command() const {
  return resume_command_of(directory) +
         (slice.is_whole() ? "" : fmt::format(" --run.array={}/{}", slice.task, slice.tasks));
}

ArraySlice agree_on_slice(const Study& study, const Communicator& world) {
  std::vector<ArraySlice> slice;
  agree(world, [&] {
    if (world.is_root())
      slice.push_back(choose_slice(study.run.array, slurm_array(), stored_numbering(run_directory(study))));
    if (!slice.empty() && !slice.front().is_whole()) require_independent_trials(study);
  });
  world.broadcast_vector(slice);
  return slice.front();
}

std::vector<DirectoryLock> lock_shared_files(const std::string& directory, const ArraySlice& slice) {
  std::vector<DirectoryLock> locks;
  if (!slice.is_whole()) locks.emplace_back(directory, "lock-files", Hold::in_turn);
  return locks;
}

std::optional<OpenRun> open_run(const SettledStudy& study, bool uses_stored_study, const RunRequest& request,
                                const JournalHeader& header, const ArraySlice& slice, SearchStages& stages,
                                const Communicator& world) {
  // The user did not choose a directory, so a new run may go to another one.
  const bool may_choose = study->run.output.empty() && !request.resume && slice.is_whole();
  std::set<std::string> gpus;
  const auto gpu = header.platform ? header.platform->gpu : std::nullopt;
  for (const auto& name : world.gather(gpu.value_or("")))  // texts only: empty without a GPU
    if (!name.empty()) gpus.insert(name);
  std::string directory = run_directory(study);
  std::vector<DirectoryLock> locks;
  Replay earlier;
  bool settled_otherwise = false;
  const auto open_in = [&](const std::string& path) {
    lock_run(path, slice, locks);
    if (may_choose && holds_results(path)) throw DirectoryInUse(path);  // another job has just finished
    const std::size_t run_locks = locks.size();
    for (auto& lock : lock_shared_files(path, slice)) locks.push_back(std::move(lock));
    const std::optional<SettledStudy> stored = begin_or_join(path, study, request, slice);
    settled_otherwise = stored && !uses_stored_study &&
                        (has_other_values(study, *stored) || !differing_keys(study, *stored).empty() ||
                         study->search.earlier != (*stored)->search.earlier);
    if (settled_otherwise) return locks.clear();
    if (stored) require_same_study(path, study, *stored);
    if (stored) require_same_extension(path, study, *stored);
    const bool is_changed = stored && has_other_extent(study, *stored);
    if (is_changed) require_whole_study(path, slice);
    store_numbering(path, slice);
    while (locks.size() > run_locks) locks.pop_back();
    if (stored || !slice.is_whole())
      earlier = replay_earlier(path, request, header, gpus, slice, study->search.has_trial_count(), stages);
    if (is_changed) change_extent(path, study, *stored);  // last: the replay refuses other data
  };
  const auto open = [&] {
    if (!world.is_root()) return;
    const std::string first = directory;
    for (std::int64_t number = 2;; ++number) {
      const bool is_finished = holds_results(directory);
      // A finished run is refused without locking it.
      if (is_finished && !may_choose && !joins_run(directory, request, slice)) require_no_run(directory);
      if (!is_finished || !may_choose) {
        try {
          return open_in(directory);
        } catch (const DirectoryInUse&) {
          discard_locks(locks);
          if (!may_choose) throw;
        } catch (...) {
          discard_locks(locks);
          throw;
        }
      }
      directory = fmt::format("{}-{}", first, number);
    }
  };
  agree_in_background(world, open, without_limit());  // a replay may take a long time
  if (world.maximum(std::int64_t{settled_otherwise}) > 0) return std::nullopt;
  directory = world.broadcast(directory, 0);
  if (directory != run_directory(study))
    log_root(fmt::format("'{}' has another run; this one goes to '{}'", run_directory(study), directory));
  return OpenRun{directory, header, slice, std::move(locks), std::move(earlier)};
}

std::unique_ptr<JournalWriter> begin_journal(const OpenRun& run, const Plan& plan, CheckpointFiles& checkpoints,
                                             const Communicator& world) {
  std::string attempt;
  agree(world, [&] {
    if (world.is_root()) attempt = begin_attempt(run.directory);
  });
  attempt = world.broadcast(attempt, 0);
  std::unique_ptr<JournalWriter> journal;
  const auto discard = [&checkpoints, &plan](std::int64_t number) {
    const Iteration iteration = plan.iteration(number);
    if (!plan.stage(iteration.stage).pauses()) checkpoints.discard(training_of(iteration));
  };
  agree(world,
        [&] { journal = std::make_unique<JournalWriter>(journal_path(attempt, world.rank()), run.header, discard); });
  agree(world, [&] {
    if (world.is_root()) sync_directory(attempt);  // once, since it has a file of each rank
  });
  return journal;
}

}  // namespace sheaf
