// SPDX-License-Identifier: MIT
#include "commands/train/finish/finish_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "commands/train/finish/incomplete_run.hpp"
#include "commands/train/finish/results_of_run.hpp"
#include "commands/train/training/cut_off.hpp"
#include "commands/train/training/final_gather.hpp"
#include "commands/train/training/predicted_rows.hpp"
#include "core/allocator.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "files/hdf5/handle.hpp"
#include "runs/journal/replay.hpp"
#include "runs/results/result_stream.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {
namespace {

// Which results are written to the result files.
enum class ResultSource : std::int64_t {
  none,      // nothing to write: the run is incomplete, or has its result files
  on_ranks,  // results of this attempt are on all ranks, those of earlier attempts on rank 0
  on_root    // all results are on rank 0
};

// Whether all iterations of the plan diverged, by the results of earlier attempts.
bool all_diverged(const ResultStore& earlier, std::int64_t iterations) {
  const IndexRange positions = earlier.positions_of({0, iterations});
  if (positions.count() < iterations) return false;
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    if (earlier[static_cast<std::size_t>(position)].trained.result.status != IterationStatus::diverged) return false;
  return true;
}

// Decides which results are written, on rank 0. `trained`, `with_result`: iterations of this attempt in the last stage,
// on all ranks. Sets `code` if the source is none. Sets `all` if it is on_root, and may add later stages to the plan.
// `locks`: are held from the replay until the results are written, so that the last task writes the latest results.
ResultSource find_results(const EndOfRun& end, std::int64_t trained, std::int64_t with_result, ExitCode& code,
                          Replay& all, std::vector<DirectoryLock>& locks) {
  const OpenRun& run = end.run;
  const StopCause cause = end.trained.cause;
  const RemainingStage& last = end.trained.last;
  const RunReader reader(run.directory);
  const std::string stage = end.stages.last_stage_text();
  if (last.left == 0 && reader.has_results()) {
    log_root(
        fmt::format("'{}' is already complete ({})", run.directory, counted(end.plan.iteration_count(), "iteration")));
    if (const auto why = end.stages.end_text(); !why.empty()) log_root(why);
    RunResults results;
    results.iterations = results.diverged = end.plan.iteration_count();
    if (all_diverged(run.earlier.iterations, results.iterations)) {
      report_no_finished_iteration(end.context, results);
      code = ExitCode::failed;
    }
    return ResultSource::none;
  }
  if (run.slice.is_whole()) {
    if (trained == last.work.count() && cause != iteration_failed) return ResultSource::on_ranks;
    // Failed iterations of an earlier attempt count as results, even if this attempt has not tried them again.
    const std::int64_t total = last.iterations.count();
    const std::int64_t max_results = run.earlier.iterations.count(last.iterations) + trained;
    if (cause == iteration_failed || max_results < total) {
      const std::int64_t left = last.left - with_result;
      code = report_incomplete(end, stage, {total, left, total - left, left});
      return ResultSource::none;
    }
  }
  locks = lock_shared_files(run.directory, run.slice);
  constexpr bool forced = true;  // open_run() has checked the journals
  RunProgress progress = reader.progress(end.stages, run.header, forced);
  all = std::move(progress.journals);
  if (cause != iteration_failed && progress.is_complete) return ResultSource::on_root;
  locks.clear();
  code = report_incomplete(end, stage, counts_of(all.iterations, run.slice, last.iterations));
  return ResultSource::none;
}

void add_extent(TableExtent& extent, const TrainingContext& context, const ResultStore& results, IndexRange iterations,
                bool failed_count) {
  const IndexRange positions = results.positions_of(iterations);
  for (std::int64_t at = positions.begin; at < positions.end; ++at) {
    const auto position = static_cast<std::size_t>(at);
    if (!failed_count && !results.packed(position).has_result()) continue;
    const JournaledIteration result = results[position];
    extent.add(result.trained);
    extent.predicted_rows += predicted_rows(context, result);
  }
}

TableExtent extent_over_ranks(TableExtent extent, const Communicator& world, const WhileWaiting& waiting) {
  const auto sums = world.patient_sum({extent.epochs, extent.predicted_rows}, waiting);
  extent.epochs = sums[0];
  extent.predicted_rows = sums[1];
  for (auto& length : extent.longest_texts) length = world.patient_maximum(length, waiting);
  return extent;
}

// The share of the lanes' time in which they had no work; nothing if they have not trained.
std::optional<double> idle_share(std::int64_t total, std::int64_t busy) {
  if (total <= 0) return std::nullopt;
  return std::max(0.0, 1 - static_cast<double>(busy) / static_cast<double>(total));
}

}  // namespace

ExitCode finish_run(const EndOfRun& end, const Communicator& world, const Communicator& node,
                    const Communicator& leaders) {
  const WhileWaiting waiting = network_limit(end.context.study->run, end.run.resume_command(), world, node);
  const GatherRoute route(world, node, leaders, waiting);
  const ResultStore& own = end.trained.results;
  const IndexRange stage = end.trained.last.iterations;
  const auto microseconds = [](double seconds) { return static_cast<std::int64_t>(1e6 * seconds); };
  const LaneSeconds& lanes = end.trained.lanes;
  const auto sums = world.patient_sum({own.count(stage), own.count_results(stage), end.streamed_bytes,
                                       microseconds(lanes.total), microseconds(lanes.busy)},
                                      waiting);
  const std::int64_t known_stages = end.plan.stage_count();
  auto code = ExitCode::done;
  auto source = ResultSource::none;
  Replay all;
  std::vector<DirectoryLock> locks;
  route.do_on_root([&] { source = find_results(end, sums[0], sums[1], code, all, locks); });
  source = static_cast<ResultSource>(world.patient_maximum(static_cast<std::int64_t>(source), waiting));
  const auto code_of_all = [&] {
    return static_cast<ExitCode>(world.patient_maximum(static_cast<std::int64_t>(code), waiting));
  };
  if (source == ResultSource::none) return code_of_all();
  share_stages(end.plan, known_stages, world);

  const bool on_ranks = source == ResultSource::on_ranks;
  const Replay& known = on_ranks ? end.run.earlier : all;
  TableExtent extent;
  const IndexRange all_iterations{0, end.plan.iteration_count()};
  if (on_ranks) add_extent(extent, end.context, own, all_iterations, true);
  // Otherwise, this attempt tried failures again.
  const bool failed_count = !on_ranks || end.context.study->search.is_gradual() || end.plan.stage_count() > 1;
  add_extent(extent, end.context, known.iterations, all_iterations, failed_count);
  extent = extent_over_ranks(extent, world, waiting);

  std::unique_ptr<ResultsOfRun> results;
  silence_hdf5();  // initializes HDF5, which calls MPI; only this thread may do so
  route.do_on_root([&] {
    std::vector<std::string> files = known.files;
    files.insert(files.end(), end.trained.journals.begin(), end.trained.journals.end());
    results = std::make_unique<ResultsOfRun>(end, extent, sums[2], idle_share(sums[3], sums[4]), std::move(files),
                                             std::move(locks));
  });
  const ResultStore nothing;
  gather_results(on_ranks ? own : nothing, known.iterations, known.files.size(), all_iterations, {}, route,
                 [&](const std::vector<GatheredResult>& window) { results->take(window); });
  end.trained.results = {};  // the ranking of many trials needs memory, too
  return_freed_memory();
  route.do_on_root([&] { code = results->finish(); });
  return code_of_all();
}

}  // namespace sheaf
