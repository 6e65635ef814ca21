// SPDX-License-Identifier: MIT
#include "run/train_share.hpp"

#include <chrono>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/log.hpp"
#include "mpi/session.hpp"
#include "partition/work_source.hpp"
#include "run/progress.hpp"

namespace sheaf {
namespace {

using Clock = std::chrono::steady_clock;

// The other ranks may be anywhere, so they cannot be asked.
void end_job_if_failed(const Lanes& lanes) {
  const auto failure = lanes.failure();
  if (!failure) return;
  log_rank("error: " + *failure);
  MpiSession::abort(static_cast<int>(ExitCode::failed));
}

}  // namespace

std::vector<TrainedIteration> train_share(const RunOptions& options, std::int64_t total,
                                          const EngineFactory& make_engine, const Placement& placement,
                                          const Communicator& world, const Communicator& node) {
  const auto start = Clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  WorkSource source(options.partition, total, static_cast<int>(placement.lanes), world, node);
  std::optional<Progress> progress;
  if (world.is_root()) progress.emplace(options.progress, total);
  const auto serve = [&] {
    const double pause_seconds = source.service();
    if (progress) progress->update(source.finished_count(), seconds());
    return pause_seconds;
  };

  Lanes lanes(make_engine, placement, source, world.rank());
  while (!lanes.wait(serve())) end_job_if_failed(lanes);
  end_job_if_failed(lanes);
  world.patient_barrier([&] { serve(); }, 1e-4);
  if (progress) progress->finish(total, seconds());
  return lanes.take();
}

}  // namespace sheaf
