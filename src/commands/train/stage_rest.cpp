// SPDX-License-Identifier: MIT
#include "commands/train/stage_rest.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/log.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/journal/replay.hpp"
#include "study/stage.hpp"

namespace sheaf {
namespace {

std::vector<IndexRange> left_of(const OpenRun& run, IndexRange iterations) {
  return iterations_left(run.earlier.iterations, iterations);
}

IndexRange last_stage(const Plan& plan) {
  return plan.iterations_of(plan.stage_count() - 1);
}

void log_rest(const OpenRun& run, const std::string& stage, IndexRange iterations) {
  const ArraySlice& slice = run.slice;
  const std::int64_t own = WorkList(slice_of(left_of(run, iterations), slice)).count();
  log_root(slice.is_whole() ? fmt::format("resuming '{}': {} of {} iterations{} are left", run.directory, own,
                                          iterations.count(), stage)
                            : fmt::format("task {}/{} of '{}': {} of its {} iterations{} are left", slice.task,
                                          slice.tasks, run.directory, own, slice.count(iterations), stage));
}

}  // namespace

void share_stages(Plan& plan, std::int64_t known, const Communicator& world) {
  std::vector<Stage> added;
  for (std::int64_t stage = known; world.is_root() && stage < plan.stage_count(); ++stage)
    added.push_back(plan.stage(stage));
  std::vector<std::int64_t> numbers = packed(added);
  world.broadcast_vector(numbers);
  if (world.is_root()) return;
  for (auto& stage : unpacked_stages(numbers)) plan.add(std::move(stage));
}

bool name_next_stage(SearchStages& stages, Plan& plan, const std::vector<RecordedStage>& recorded,
                     const std::string& directory, const Communicator& world) {
  const std::int64_t known = plan.stage_count();
  agree(world, [&] {
    if (world.is_root() && stages.name_next()) require_recorded_stages(plan, recorded, directory);
  });
  share_stages(plan, known, world);
  return plan.stage_count() > known;
}

void catch_up_with_run(const OpenRun& run, SearchStages& stages, Plan& plan, const Communicator& world) {
  const std::int64_t known = plan.stage_count();
  agree(world, [&] {
    if (!world.is_root() || !run.is_joined) return;
    stages.catch_up(run.earlier.iterations);
    require_recorded_stages(plan, run.earlier.stages, run.directory);
    log_rest(run, stages.last_stage_text(), last_stage(plan));
  });
  share_stages(plan, known, world);
}

StageRest find_rest(const OpenRun& run, const Plan& plan, const Communicator& world) {
  const IndexRange iterations = last_stage(plan);
  std::vector<IndexRange> left;
  if (world.is_root()) left = left_of(run, iterations);
  world.broadcast_vector(left);
  return {iterations, WorkList(left).count(), WorkList(slice_of(left, run.slice))};
}

}  // namespace sheaf
