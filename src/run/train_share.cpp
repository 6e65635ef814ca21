// SPDX-License-Identifier: MIT
#include "run/train_share.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "mpi/session.hpp"
#include "partition/work_source.hpp"
#include "run/progress.hpp"

namespace sheaf {
namespace {

// The other ranks may be anywhere, so they cannot be asked. What fails one, a full disk say, often fails all of its
// node: the first one speaks for them, and they give it the time.
void end_job_if(const std::optional<std::string>& failure, WorkSource& source) {
  if (!failure) return;
  if (source.is_first_failure())
    log_rank("error: " + *failure);
  else
    std::this_thread::sleep_for(std::chrono::seconds(1));
  MpiSession::abort(static_cast<int>(ExitCode::failed));
}

}  // namespace

StopCause train_share(const Share& share, const Communicator& world, const Communicator& node) {
  const auto start = Clock::now();
  const auto seconds = [start] { return seconds_since(start); };
  WorkSource source(share.partition, share.work.count(), static_cast<int>(share.placement.lanes), world, node);
  std::optional<Progress> progress;
  if (world.is_root()) progress.emplace(share.options.progress, share.work.count());

  Lanes lanes(share, source, world.rank());
  StopCause cause = no_stop;
  const auto note_cause = [&] {
    if (cause == no_stop) cause = share.stop_cause();
    if (share.options.on_failure == OnFailure::stop && lanes.failed_count() > 0) cause = iteration_failed;
  };
  const auto serve = [&] {
    note_cause();
    if (cause != no_stop) source.stop();
    if (share.journal) {
      if (source.is_stopped()) share.journal->hurry();
      end_job_if(share.journal->failure(), source);
    }
    const double pause_seconds = source.service();
    if (progress) progress->update(source.finished_count(), seconds());
    return pause_seconds;
  };

  while (!lanes.wait(serve())) end_job_if(lanes.failure(), source);
  end_job_if(lanes.failure(), source);
  source.end_lanes();
  world.patient_barrier([&](double) { return serve(); });
  note_cause();
  cause = world.maximum(cause);
  if (progress) progress->finish(source.finished_count(), seconds());
  return cause;
}

}  // namespace sheaf
