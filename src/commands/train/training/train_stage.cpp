// SPDX-License-Identifier: MIT
#include "commands/train/training/train_stage.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "commands/train/training/cut_off.hpp"
#include "commands/train/training/progress.hpp"
#include "commands/train/training/stage_observer.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/patience.hpp"
#include "parallel/mpi/session.hpp"
#include "parallel/partition/work_source.hpp"

namespace sheaf {
namespace {

// Ends the job without the other ranks, which may be in any call. An error such as a full disk often affects all ranks
// of a node: the first one that fails logs it, and the others wait so that it can.
[[noreturn]] void end_job(const std::string& message, ExitCode code, WorkSource& source) {
  if (source.is_first_failure())
    log_error(message.c_str());
  else
    std::this_thread::sleep_for(std::chrono::seconds(1));
  MpiSession::abort(static_cast<int>(code));
}

// After a failure of a GPU another job can train the rest. Results reach the disk within a second.
void end_job_after_failure(const StageWork& stage, const Lanes& lanes, WorkSource& source) {
  const auto failure = lanes.failure();
  if (!failure) return;
  if (!failure->is_of_gpu) end_job(failure->message, ExitCode::failed, source);
  if (JournalWriter* const journal = lanes.setup().journal) journal->hurry();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  end_job(cut_off_text(failure->message, stage.advice), ExitCode::stopped, source);
}

// Closes the journal, but waits at most three seconds: its disk may belong to an unreachable host. Only for a rank that
// ends without unwinding, since the journal may still be closing when this returns.
void close_if_possible(JournalWriter& journal) {
  constexpr std::chrono::seconds max_wait(3);
  std::packaged_task<void()> closing([&journal] { journal.close(); });
  auto closed = closing.get_future();
  std::thread(std::move(closing)).detach();
  if (closed.wait_for(max_wait) == std::future_status::ready) closed.get();
}

// Ends this host after it has lost the others: the leader logs the reason, lanes drop their claims, and journals are
// closed. Meanwhile reachable hosts are notified that the job stops; they are ended last.
[[noreturn]] void end_without_other_hosts(const ConnectionLost& lost, const StageWork& stage, Lanes& lanes,
                                          WorkSource& source) {
  constexpr double min_seconds = 1.5, max_seconds = 5;
  const std::string message = cut_off_text(lost.what(), stage.advice);
  if (source.is_leader()) log_error(message.c_str());
  source.stop();
  JournalWriter* const journal = lanes.setup().journal;
  if (journal) journal->hurry();
  const auto start = Clock::now();
  const auto waited = [&] { return seconds_since(start); };
  while (waited() < min_seconds || (waited() < max_seconds && !lanes.wait(0))) {
    std::this_thread::sleep_for(std::chrono::duration<double>(source.service()));
  }
  try {
    if (journal) close_if_possible(*journal);
  } catch (const std::exception& error) {
    log_error(message_of(error));
    MpiSession::abort(static_cast<int>(ExitCode::failed));
  }
  end_cut_off(message, source.is_leader());
}

}  // namespace

StopCause train_stage(const StageWork& stage, Lanes& lanes, WorkSource& source, const Communicator& world) {
  const LaneSetup& setup = lanes.setup();
  const MoreWork more_work = stage.observer ? stage.observer->more_work() : MoreWork::none;
  source.begin(stage.partition, stage.work_at_start, more_work);

  lanes.begin(stage);
  StopCause cause = no_stop;
  const auto note_cause = [&] {
    if (cause == no_stop) cause = stage.stop_cause();
    if (setup.options.on_failure == OnFailure::stop && lanes.failed_count() > 0) cause = iteration_failed;
  };
  const auto show_progress = [&] {
    if (!stage.progress) return;
    const std::int64_t left_out = stage.observer ? stage.observer->left_out() : 0;
    stage.progress->update(stage.done_before + source.finished_count() + left_out, source.lowest_cost());
  };
  const auto serve = [&] {
    note_cause();
    if (cause == search_is_over) source.end_search();
    if (cause != no_stop) source.stop();
    if (setup.journal) {
      if (source.is_stopped()) setup.journal->hurry();
      if (const auto failure = setup.journal->failure()) end_job(*failure, ExitCode::failed, source);
    }
    if (stage.observer) stage.observer->service(source);
    const double pause_seconds = source.service();
    show_progress();
    return stage.observer ? std::min(pause_seconds, stage.observer->max_pause_seconds()) : pause_seconds;
  };
  const auto serve_while_waiting = [&](double) { return serve(); };

  try {
    while (!lanes.wait(serve())) end_job_after_failure(stage, lanes, source);
    end_job_after_failure(stage, lanes, source);
    source.end_lanes();
    if (stage.observer) {
      stage.observer->end_lanes();
      wait_patiently([&] { return stage.observer->is_over(); }, serve_while_waiting);
    }
    world.patient_barrier(serve_while_waiting);
    note_cause();
    cause = world.patient_maximum(cause, serve_while_waiting);
    source.leave();
  } catch (const ConnectionLost& lost) {
    end_without_other_hosts(lost, stage, lanes, source);
  } catch (...) {  // the lanes use the stage, which the caller destroys
    source.stop();
    while (!lanes.wait(1)) continue;
    throw;
  }
  show_progress();
  return cause;
}

}  // namespace sheaf
