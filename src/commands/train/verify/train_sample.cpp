// SPDX-License-Identifier: MIT
#include "commands/train/verify/train_sample.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "commands/train/training/cut_off.hpp"
#include "commands/train/training/lanes.hpp"
#include "commands/train/training/progress.hpp"
#include "commands/train/training/train_stage.hpp"
#include "engines/lane_engine.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "runs/directory/run_directory.hpp"

namespace sheaf {
namespace {

// Checkpoints that load and save nothing. Engines with checkpoints leave their trainings at once when the job stops.
Checkpoints no_files() {
  Checkpoints none;
  none.interval_seconds = std::numeric_limits<double>::infinity();
  none.load = [](const IterationKey&) { return std::nullopt; };
  none.set_aside = [](const IterationKey&, const std::string&) {};
  none.save = [](const IterationKey&, std::int64_t, const std::string&, bool) {};
  return none;
}

std::vector<IndexRange> ranges_of(const std::vector<std::int64_t>& iterations) {
  std::vector<IndexRange> ranges;
  for (const std::int64_t number : iterations)
    if (!ranges.empty() && ranges.back().end == number)
      ++ranges.back().end;
    else
      ranges.push_back({number, number + 1});
  return ranges;
}

}  // namespace

StopCause train_sample(const std::vector<std::int64_t>& iterations, const TrainingContext& context,
                       const Placement& placement, SampleComparison& comparison, const JobStart& start,
                       const Communicator& world, const Communicator& node) {
  const RunOptions& options = context.study->run;
  const Checkpoints checkpoints = no_files();
  TrainingContext own = context;
  own.checkpoints = &checkpoints;
  const LaneSetup setup{options,
                        [&](int lane) {
                          const LaneDevice device = placement.lanes[static_cast<std::size_t>(lane)];
                          return comparison.comparing(make_engine(own, device), device);
                        },
                        placement};
  const RemainingIterations work(ranges_of(iterations));
  const PartitionKind partition = settled_kind(options.partition, context.stream != nullptr,
                                               node.size() == world.size(), context.plan.trial_count());
  std::optional<Progress> progress;
  if (world.is_root()) progress.emplace(options.progress, work.count(), ProgressValue{}, "");
  WorkSource source(static_cast<int>(placement.lane_count()), world, node, network_timeout_of(options));
  std::optional<Lanes> lanes;
  agree(world, [&] { lanes.emplace(setup, source, world.rank()); });
  const StageWork stage{partition,
                        work,
                        work.count(),
                        nullptr,
                        nullptr,
                        nullptr,
                        stop_watch_of_rank(options.time_limit, start, world.is_root()),
                        "Start it again: sheaf verify " + run_directory(context.study),
                        progress ? &*progress : nullptr};
  const StopCause cause = train_stage(stage, *lanes, source, world);
  if (progress) progress->finish();
  return cause;
}

}  // namespace sheaf
