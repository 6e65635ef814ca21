// SPDX-License-Identifier: MIT
#include "run/open_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/log.hpp"
#include "journal/journal_files.hpp"
#include "journal/replay.hpp"
#include "journal/study_identity.hpp"
#include "mpi/agreement.hpp"
#include "options/parse_study.hpp"
#include "results/result_files.hpp"

namespace sheaf {
namespace {

void require_same_study(const std::string& directory, const Study& study) {
  const auto differing = differing_keys(study, parse_study(directory + "/study.cfg", {}));
  if (!differing.empty())
    throw UsageError(
        fmt::format("'{}' holds a run of another study ({}). Resume it with its own values, or choose another "
                    "run.output.",
                    directory, fmt::join(differing, "; ")));
}

// The ranges that an earlier job has left. For rank 0, under the lock.
std::vector<IndexRange> find_rest(const std::string& directory, const RunRequest& request, const JournalHeader& header,
                                  std::int64_t total) {
  require(!list_journals(directory).empty() || !holds_results(directory),
          fmt::format("'{}' holds results without a journal (it cannot be known what is done). Choose another "
                      "run.output.",
                      directory));
  const Replay replay = replay_journals(directory, header, total, request.force);
  for (const auto& warning : replay.warnings) warn_root(warning);
  const auto left = iterations_left(replay.iterations, total);
  log_root(fmt::format("resuming '{}': {} of {} iterations are left", directory, WorkList(left).count(), total));
  return left;
}

}  // namespace

OpenRun open_run(const Study& study, const RunRequest& request, const JournalHeader& header, std::int64_t total,
                 const Communicator& world) {
  const std::string directory = run_directory(study);
  std::optional<DirectoryLock> lock;
  std::vector<IndexRange> left;
  agree(world, [&] {
    if (!world.is_root()) return;
    const bool resumes = request.resume && holds_run(directory);
    if (!resumes) create_run_directory(directory, study);
    lock.emplace(directory, "lock");
    if (resumes) require_same_study(directory, study);
    left = resumes ? find_rest(directory, request, header, total) : std::vector<IndexRange>{{0, total}};
  });
  world.broadcast_vector(left);
  return {directory, header, std::move(lock), WorkList(std::move(left))};
}

std::unique_ptr<JournalWriter> begin_journal(const OpenRun& run, const CheckpointFiles& checkpoints,
                                             const Communicator& world) {
  std::string attempt;
  agree(world, [&] {
    if (world.is_root()) attempt = begin_attempt(run.directory);
  });
  attempt = world.broadcast(attempt, 0);
  std::unique_ptr<JournalWriter> journal;
  // Short iterations have none, and looking for them would take longer than their training.
  const auto discard = [checkpoints](const IterationRecord& record) {
    if (record.seconds > 1) checkpoints.discard(record.iteration);
  };
  agree(world,
        [&] { journal = std::make_unique<JournalWriter>(journal_path(attempt, world.rank()), run.header, discard); });
  return journal;
}

}  // namespace sheaf
