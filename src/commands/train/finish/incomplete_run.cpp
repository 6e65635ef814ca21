// SPDX-License-Identifier: MIT
#include "commands/train/finish/incomplete_run.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <set>

#include "core/log.hpp"
#include "core/text.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/checkpoint_files.hpp"

namespace sheaf {

StageCounts counts_of(const ResultStore& results, const ArraySlice& slice, IndexRange stage) {
  StageCounts counts{slice.count(stage), slice.count(stage), 0, stage.count()};
  const IndexRange positions = results.positions_of(stage);
  for (std::int64_t position = positions.begin; position < positions.end; ++position) {
    const PackedResult result = results.packed(static_cast<std::size_t>(position));
    const bool in_slice = slice.has(result.iteration()), has_result = result.has_result();
    counts.recorded += in_slice ? 1 : 0;
    counts.left -= in_slice && has_result ? 1 : 0;
    counts.stage_left -= has_result ? 1 : 0;
  }
  return counts;
}

namespace {

// "; checkpoints of 2 unfinished iterations are saved"; empty if there are none, and if finished iterations have some.
std::string checkpoints_text(const OpenRun& run, const Plan& plan) {
  std::set<std::int64_t> iterations;
  if (plan.stage(plan.stage_count() - 1).pauses()) return "";
  for (const CheckpointName& name : list_checkpoints(run.directory)) {
    const auto iteration = plan.last_iteration_of(name.training);
    if (iteration && run.slice.has(*iteration)) iterations.insert(*iteration);
  }
  return iterations.empty()
             ? ""
             : fmt::format("; checkpoints of {} are saved",
                           counted(static_cast<std::int64_t>(iterations.size()), "unfinished iteration"));
}

}  // namespace

ExitCode report_incomplete(const EndOfRun& end, const std::string& stage, const StageCounts& counts) {
  const OpenRun& run = end.run;
  const StopCause cause = end.trained.cause;
  const ArraySlice& slice = run.slice;
  const std::int64_t done = counts.total - counts.left;
  const std::string task = slice.is_whole() ? "" : fmt::format("task {}/{}: ", slice.task, slice.tasks);
  const std::string resume = run.resume_command();
  const bool has_total = end.context.study->search.has_trial_count();
  const std::string total = counted(has_total ? counts.total : done, "iteration");
  if (cause != iteration_failed && counts.recorded == counts.total) {
    const bool refit_follows = end.stages.awaits_refit();
    const std::string next =
        resume_command_of(run.directory) + (slice.is_whole() || refit_follows ? "" : ", or submit the array again");
    log_root(counts.stage_left == 0 ? fmt::format("{}done; all iterations{} have results. Start the {} with: {}", task,
                                                  stage, refit_follows ? "refit" : "next stage", next)
                                    : fmt::format("{}done; other tasks still have to train {} of the study's {}{}",
                                                  task, counts.stage_left - counts.left,
                                                  counted(end.trained.last.iterations.count(), "iteration"), stage));
    return counts.left == 0 ? ExitCode::done : ExitCode::failed;
  }
  require(cause != no_stop,
          fmt::format("{} of {}{} of '{}' have results in the journal; the others were lost. Continue "
                      "with: {}",
                      done, total, stage, run.directory, resume));
  log_root(fmt::format("{}stopped after {}{}{}{} ({}). Continue with: {}", task,
                       has_total ? fmt::format("{} of ", done) : "", total, stage, checkpoints_text(run, end.plan),
                       stop_text(cause), resume));
  return cause == iteration_failed ? ExitCode::failed : ExitCode::stopped;
}

}  // namespace sheaf
