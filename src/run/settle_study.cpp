// SPDX-License-Identifier: MIT
#include "run/settle_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "dataset/stream_plan.hpp"
#include "device/cores.hpp"
#include "device/memory.hpp"
#include "engine/engine_choice.hpp"
#include "mpi/agreement.hpp"
#include "plan/estimate.hpp"
#include "plan/network_layout.hpp"
#include "run/place_ranks.hpp"
#include "run/study_data.hpp"

namespace sheaf {

namespace {

// Rough where the number of classes is not known yet.
DataShape expected_shape(const DataOptions& options, const std::optional<FileSchema>& file) {
  if (!file) return synthetic_shape(options);
  constexpr std::int64_t some_classes = 10;
  const std::int64_t classes = options.classes > 0 ? options.classes : some_classes;
  return {file->rows, file->feature_count, options.task == Task::classification ? classes : file->target_columns,
          file->image};
}

bool is_dense_trial(const Trial& trial) {
  return is_dense(trial.model.kind);
}

// `cores`: of the rank with a GPU that has the fewest. A rank that needs its GPU for other trials trains one model at a
// time.
std::vector<double> gpu_speedups(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t cores) {
  const auto& trials = plan.trials();
  const bool all_dense = std::all_of(trials.begin(), trials.end(), is_dense_trial);
  const std::int64_t models = all_dense ? std::min(cores, plan.iteration_count()) : 1;
  std::vector<double> speedups;
  const std::int64_t rows = training_rows_per_iteration(study, shape.rows);
  for (const Trial& trial : trials) {
    double& speedup = speedups.emplace_back(no_gpu);
    if (!is_dense_trial(trial)) continue;
    const std::int64_t parameters = parameter_count(network_layout(trial.model, shape));
    speedup = gpu_speedup(estimate_trial(trial, shape, parameters, rows), models);
  }
  return speedups;
}

// Collective over world.
JobFacts gather_facts(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                      const Placement& placement, const Communicator& world) {
  JobFacts facts;
  facts.any_gpu = world.maximum(std::int64_t{placement.gpu >= 0}) > 0;
  facts.all_gpu = world.minimum(std::int64_t{placement.gpu >= 0}) > 0;
  const bool on_gpu = placement.gpu >= 0;
  const auto cores = static_cast<std::int64_t>(find_bound_cores().cores.size());
  const std::int64_t least = world.minimum(on_gpu ? cores : std::numeric_limits<std::int64_t>::max());
  facts.gpu_speedups = facts.any_gpu ? gpu_speedups(study, plan, expected_shape(study.data, file), least)
                                     : std::vector<double>(plan.trials().size(), no_gpu);
  if (file) facts.data_bytes = file->rows * row_bytes(*file, study.data.task);
  facts.node_bytes = world.minimum(usable_memory_bytes());
  return facts;
}

}  // namespace

Study settled_study(Study study, const Plan& plan, const JobFacts& facts) {
  study.data.mode =
      is_streamed(study.data, facts.data_bytes, facts.node_bytes) ? DataMode::streamed : DataMode::resident;
  study.run.engine = settled_engine(plan, study.run, facts.gpu_speedups);
  return study;
}

void require_trainable(const Study& settled, const Plan& plan, const JobFacts& facts) {
  require_engine(plan, settled.run);
  require(
      settled.data.mode == DataMode::streamed || facts.data_bytes <= facts.node_bytes,
      fmt::format("'{}' does not fit into memory, as data.mode = resident needs it to ({}, and a node has {}). Give "
                  "each node more memory, or start another run with data.mode = streamed.",
                  settled.data.file, human_bytes(static_cast<double>(facts.data_bytes)),
                  human_bytes(static_cast<double>(facts.node_bytes))));
  require(settled.train.precision != Precision::tf32 || facts.all_gpu,
          "train.precision = tf32 needs a GPU for every rank (some train on CPU cores). Set train.precision = float32, "
          "or run.device = cuda to learn why a rank has none.");
}

Study with_stored_choices(Study asked, const Study& stored) {
  if (asked.data.mode == DataMode::automatic) asked.data.mode = stored.data.mode;
  if (asked.run.engine == EngineKind::automatic) asked.run.engine = stored.run.engine;
  return asked;
}

PlacedStudy place_and_settle(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                             const Communicator& world, const Communicator& node) {
  PlacedStudy placed;
  placed.placement = place_ranks(study.run, world, node);
  placed.facts = gather_facts(study, plan, file, placed.placement, world);
  placed.study = settled_study(study, plan, placed.facts);
  agree(world, [&] { require_trainable(placed.study, plan, placed.facts); });
  if (placed.facts.any_gpu && !may_use_gpus(placed.study.run))
    placed.placement = place_ranks(placed.study.run, world, node);
  return placed;
}

std::string note_on_gpus(const Study& settled, const Plan& plan, const JobFacts& facts) {
  const auto& trials = plan.trials();
  if (!facts.any_gpu || settled.run.engine == EngineKind::torch) return "";
  double most = 0;  // times as fast
  for (std::size_t trial = 0; trial < trials.size(); ++trial)
    if (engine_of(trials[trial], settled.run.engine) == TrainedBy::resident && facts.gpu_speedups[trial] != no_gpu)
      most = std::max(most, 1 / facts.gpu_speedups[trial]);
  if (most == 0) return "";
  return fmt::format(
      "linear models and mlps train on CPU cores (run.engine = {}), expected to be {} times as fast as "
      "a GPU for them. A run with run.engine = torch trains them on the GPU.",
      settled.run.engine == EngineKind::resident ? "resident" : "by_model",
      most < 10 ? fmt::format("{:.1f}", most) : fmt::format("{:.0f}", most));
}

}  // namespace sheaf
