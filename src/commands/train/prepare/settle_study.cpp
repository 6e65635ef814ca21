// SPDX-License-Identifier: MIT
#include "commands/train/prepare/settle_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "commands/train/prepare/data_defaults.hpp"
#include "commands/train/prepare/study_data.hpp"
#include "commands/train/prepare/study_warnings.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "data/split_sizes.hpp"
#include "data/stream/stream_plan.hpp"
#include "engines/usable_gpus.hpp"
#include "models/network_layout.hpp"
#include "parallel/devices/memory.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "search/tpe.hpp"
#include "study/key_defaults.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "study/trial_ensemble.hpp"

namespace sheaf {

namespace {

constexpr double max_predictions_bytes = 256 << 20;  // that are kept by default

// Whether any network gets its rows as images if they are images.
bool any_takes_images(const Plan& plan) {
  bool any = false;
  plan.for_each_network([&](const Trial& trial) { any = any || takes_images(trial.model.kind); });
  return any;
}

// Number of lanes of this rank if it trains on its cores. Other ranks may be bound to some of the cores. Collective.
std::int64_t lanes_on_cores(RunOptions run, const Communicator& world, const Communicator& node) {
  run.device = DeviceRequest::cpu;
  return place_ranks(run, find_usable_gpus, world, node).lane_count();
}

// The kinds of lanes in the job, GPU first. Collective over world.
std::vector<LaneDevice> kinds_of_lanes(const Placement& placement, const Communicator& world) {
  std::vector<LaneDevice> kinds;
  if (world.maximum(std::int64_t{placement.uses_gpu()}) > 0) kinds.push_back(gpu_lane);
  if (world.maximum(std::int64_t{placement.uses_cores()}) > 0) kinds.push_back(core_lane);
  return kinds;
}

Study with_settled_mode(Study study, const JobFacts& facts) {
  study.data.mode = is_streamed(study.data, facts.data_bytes, facts.node_bytes) ? DataMode::streamed : DataMode::memory;
  return study;
}

// 0 without a GPU. GPUs have features, targets and weights as 4 bytes each, labels as 8.
std::int64_t bytes_of_gpu_lane(const Study& study, const JobFacts& facts, const Placement& placement) {
  if (!placement.gpu) return 0;
  const DataShape& shape = facts.shape;
  const std::int64_t row = 4 * (shape.features + 1) + std::max<std::int64_t>(8, 4 * shape.outputs);
  const std::int64_t rows = std::max(shape.rows, facts.rows.all());
  const std::int64_t lanes = std::max<std::int64_t>(1, placement.gpu_lanes());
  return static_cast<std::int64_t>(
      lane_bytes(placement.gpu->memory_bytes, study.run.ranks_per_gpu, lanes, static_cast<double>(rows * row)));
}

// Collective over world.
JobFacts gather_facts(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                      const Placement& placement, const Communicator& world, const Communicator& node) {
  JobFacts facts;
  facts.shape = expected_shape(study.data, file);
  facts.rows = expected_rows(study.data, file);
  facts.devices = kinds_of_lanes(placement, world);
  facts.layout = file ? file->layout : RowLayout{study.data.image};
  facts.training_rows = training_rows_per_iteration(study, facts.rows);
  if (file) facts.data_bytes = file->counts().all() * row_bytes(*file, study.data.task);
  facts.node_bytes = world.minimum(usable_memory_bytes());
  if (!facts.devices.front().on_gpu()) return facts;
  const auto least = [&](std::int64_t of_gpu_rank) {
    return world.minimum(placement.uses_gpu() ? of_gpu_rank : std::numeric_limits<std::int64_t>::max());
  };
  const double at_once = most_at_once(study).value_or(std::numeric_limits<double>::infinity());
  const auto lanes = static_cast<std::int64_t>(
      std::min(static_cast<double>(least(lanes_on_cores(study.run, world, node))), std::ceil(at_once / world.size())));
  facts.gpus.lanes = world.sum(placement.gpu_lanes());
  facts.gpus.lane_bytes = static_cast<double>(least(bytes_of_gpu_lane(study, facts, placement)));
  const StackPlan stack =
      stack_plan(with_settled_mode(study, facts), plan, facts.shape, facts.training_rows, facts.gpus);
  facts.gpu_speedup = expected_gpu_speedup(plan, facts.shape, facts.training_rows, lanes, world.size(), stack);
  return facts;
}

// The approximate size of the table of predictions: the columns iteration and row, the targets and the predictions. 0
// without validation rows.
double predictions_bytes(const Study& study, const JobFacts& facts) {
  const DataShape& shape = facts.shape;
  const std::int64_t target_bytes = study.data.task == Task::classification ? 8 : 8 * shape.outputs;
  const std::int64_t row_bytes = std::int64_t{2} * 8 + target_bytes + 4 * shape.outputs;
  return expected_iterations(study, max_recorded_iterations) *
         static_cast<double>(least_validation_rows(study, facts.rows) * row_bytes);
}

// Streamed data may have more predictions than memory.
PredictionsKept settled_predictions(const Study& study, const JobFacts& facts) {
  if (study.run.predictions != automatic) return study.run.predictions;
  const double bytes = predictions_bytes(study, facts);
  if (study.data.mode == DataMode::streamed || bytes == 0) return PredictionsKept::none;
  const bool are_few = study.data.source == DataSource::file && bytes <= max_predictions_bytes;
  return are_few || study.search.ensemble == EnsembleKind::greedy ? PredictionsKept::held_out : PredictionsKept::none;
}

// Whether any trial of the plan meets a condition that depends only on its network.
template <class Condition>
bool any_trial(const Plan& plan, const Condition& condition) {
  bool any = false;
  plan.for_each_network([&](const Trial& trial) { any = any || condition(trial); });
  return any;
}

bool has_networks(const Plan& plan) {
  return any_trial(plan, [](const Trial& trial) { return is_network(trial.model.kind); });
}

bool has_trees(const Plan& plan) {
  return any_trial(plan, [](const Trial& trial) { return !is_network(trial.model.kind); });
}

// Whether lanes with a GPU train any model on it. `engine`: settled.
bool any_uses_gpus(const Plan& plan, const DataShape& shape, AutoOr<EngineKind> engine) {
  return any_trial(plan, [&](const Trial& trial) { return engine_of(trial, shape, engine, gpu_lane).uses_gpus; });
}

// `study`: with settled predictions.
EnsembleKind settled_ensemble(const Study& study, const JobFacts& facts) {
  if (study.search.ensemble != automatic) return study.search.ensemble;
  const bool are_few = predictions_bytes(study, facts) <= max_predictions_bytes;
  return are_few && !ensemble_obstacle(study) ? EnsembleKind::greedy : EnsembleKind::none;
}

// Plan::for_each_distinct() visits only the ends of ranges, but trials have other values between them. Returns how many
// different costs it visits for each one that the first trials have, at most 1.
double share_of_shapes(const Plan& plan) {
  constexpr std::int64_t most_trials = 256;
  const std::int64_t known = plan.draws_from_results() ? Tpe::startup_trials : most_trials;
  std::set<std::vector<std::string>> drawn;
  for (std::int64_t number = 0; number < std::min(plan.trial_count(), known); ++number) {
    std::vector<std::string> values;
    for (std::size_t key = 0; key < plan.searched_keys().size(); ++key)
      if (decides_cost(plan.searched_keys()[key])) values.push_back(plan.value(number, key));
    drawn.insert(std::move(values));
  }
  std::size_t visited = 0;
  plan.for_each_distinct(decides_cost, [&](const Trial&, double) { ++visited; });
  return std::min(1.0, static_cast<double>(visited) / static_cast<double>(std::max<std::size_t>(1, drawn.size())));
}

}  // namespace

double expected_gpu_speedup(const Plan& plan, const DataShape& shape, std::int64_t training_rows, std::int64_t lanes,
                            std::int64_t ranks, const StackPlan& stack) {
  double weights = 0;
  plan.for_each_distinct(decides_cost, [&](const Trial&, double weight) { weights += weight; });
  bool any_on_cores = false, all_on_cores = true;
  plan.for_each_network([&](const Trial& trial) {
    const bool on_cores = has_core_engine(trial, shape);
    if (!is_network(trial.model.kind)) return;  // trees have no choice
    any_on_cores = any_on_cores || on_cores;
    all_on_cores = all_on_cores && on_cores;
  });
  if (!any_on_cores) return no_gpu;
  const double share = share_of_shapes(plan);
  // A rank that needs its GPU for other trials trains one model at a time.
  const std::int64_t iterations_of_rank = (plan.iteration_count() + ranks - 1) / ranks;
  GpuSpeedup speedup(shape, all_on_cores ? std::min(lanes, iterations_of_rank) : 1);
  plan.for_each_distinct(decides_cost, [&](const Trial& trial, double weight) {
    if (!has_core_engine(trial, shape) || !is_network(trial.model.kind)) return;
    const std::int64_t parameters = parameter_count(network_layout(trial.model, shape));
    const TrialEstimate estimate =
        with_stack(estimate_trial(trial, shape, parameters, training_rows), trial, shape, EngineKind::by_device,
                   gpu_lane, stack.size, std::max<std::int64_t>(1, training_rows));
    speedup.add(trial, estimate, weight, stack.models * share * weight / weights);
  });
  return speedup.value();
}

SettledStudy settled_study(Study study, const Plan& plan, const JobFacts& facts) {
  study = with_settled_mode(std::move(study), facts);
  if (!study.data.channels) study.data.channels = facts.layout.channels;
  if (!study.run.curves)
    study.run.curves = study.data.source == DataSource::file && study.data.mode == DataMode::memory &&
                       expected_iterations(study, max_recorded_iterations) <= max_recorded_iterations;
  study.run.predictions = settled_predictions(study, facts);
  study.search.ensemble = settled_ensemble(study, facts);
  study.run.engine = settled_engine(plan, facts.shape, study.run, facts.gpu_speedup, facts.devices);
  study.run.stack = settled_stack(study, plan, facts.shape, facts.training_rows, facts.gpus);
  return SettledStudy(std::move(study));
}

void require_trainable(const SettledStudy& settled, const Plan& plan, const JobFacts& facts) {
  require_engine(plan, facts.shape, settled->run, facts.devices);
  if (settled.stack().is_stack() && settled.mode() == DataMode::streamed)
    throw UsageError(
        fmt::format("run.stack = {} needs data in memory, but '{}' would be streamed (it does not fit into "
                    "memory). Leave out run.stack.",
                    settled.stack().most, settled->data.file));
  if (settled.ensemble() == EnsembleKind::greedy)
    if (const auto obstacle = ensemble_obstacle(settled)) throw UsageError(obstacle->sentence());
  require(settled.mode() == DataMode::memory || !has_trees(plan), [&] {
    return fmt::format(
        "'{}' would be streamed ({} of data, {} available per node, data.memory = {}), but model.kind = boosted_trees "
        "needs the rows in memory. Use nodes with more memory, set data.mode = memory, or choose a network.",
        settled->data.file, human_bytes(static_cast<double>(facts.data_bytes)),
        human_bytes(static_cast<double>(facts.node_bytes)), setting_text(settled, "data.memory"));
  });
  require(settled.mode() == DataMode::memory || !has_held_out_files(settled->data), [&] {
    return fmt::format(
        "'{}' does not fit into memory with data.validation_file and data.test_file ({} of data, {} "
        "available per node, data.memory = {}), and with these files it cannot be streamed. Use nodes "
        "with more memory, or hold out rows of data.file.",
        settled->data.file, human_bytes(static_cast<double>(facts.data_bytes)),
        human_bytes(static_cast<double>(facts.node_bytes)), setting_text(settled, "data.memory"));
  });
  require(settled.mode() == DataMode::streamed || facts.data_bytes <= facts.node_bytes,
          fmt::format("'{}' does not fit into memory, as data.mode = memory requires ({} of data, {} available per "
                      "node). Use nodes with more memory, or start a new run with data.mode = streamed.",
                      settled->data.file, human_bytes(static_cast<double>(facts.data_bytes)),
                      human_bytes(static_cast<double>(facts.node_bytes))));
}

Study with_stored_choices(Study requested, const SettledStudy& stored) {
  for (const Setting& setting : settings_table()) {
    const bool is_auto = setting.info.default_value == "auto" && setting.text(requested) == "auto";
    if (is_auto && setting.decides_results) apply_setting(requested, setting.info.key, setting.text(stored));
  }
  if (requested.run.models == automatic) requested.run.models = stored.models();
  if (!requested.search.start_run.empty()) {  // the older run may have changed since
    requested.search.start = stored->search.start;
    requested.search.start_run.clear();
  }
  // The file has determined them, too.
  if (has_given_folds(requested) && requested.search.folds == 1) requested.search.folds = stored->search.folds;
  return requested;
}

PlacedStudy place_and_settle(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                             const Communicator& world, const Communicator& node) {
  agree(world, [&] {
    if (file && any_takes_images(plan)) require_certain_layout(*file, study.data);
    const RowCounts rows = expected_rows(study.data, file);
    require_enough_rows(study, rows.own);
    for (const std::string& problem : {ranking_problem(study, plan, rows), stopping_problem(study, rows)})
      if (!problem.empty()) throw UsageError(problem);
  });
  Placement placement = place_ranks(study.run, find_usable_gpus, world, node);
  JobFacts facts = gather_facts(study, plan, file, placement, world, node);
  PlacedStudy placed{settled_study(study, plan, facts), std::move(placement), std::move(facts)};
  if (placed.facts.devices.front().on_gpu() && !any_uses_gpus(plan, placed.facts.shape, placed.study.engine())) {
    agree(world, [&] {
      if (study.run.device == DeviceRequest::cuda)
        throw UsageError(fmt::format(
            "run.device = cuda, but no model of the study trains on GPUs (run.engine = {}{}). Set run.device = auto{}.",
            setting_text(placed.study, "run.engine"), has_networks(plan) ? "" : "; boosted trees train on cores",
            has_networks(plan) ? ", or run.engine = torch" : ""));
    });
    RunOptions on_cores = placed.study->run;
    on_cores.device = DeviceRequest::cpu;
    placed.placement = place_ranks(on_cores, find_usable_gpus, world, node);
    placed.facts.devices = kinds_of_lanes(placed.placement, world);
    placed.facts.gpus = {};
  }
  agree(world, [&] { require_trainable(placed.study, plan, placed.facts); });
  return placed;
}

std::string note_on_predictions(const SettledStudy& settled, const JobFacts& facts) {
  if (settled.predictions() == PredictionsKept::held_out || settled->data.source != DataSource::file ||
      settled.mode() == DataMode::streamed)
    return "";
  const double bytes = predictions_bytes(settled, facts);
  if (bytes <= max_predictions_bytes) return "";
  return fmt::format(
      "predictions for the validation rows are not kept (they would need {}). To keep them, start a run with "
      "run.predictions = held_out.",
      human_bytes(bytes));
}

std::vector<std::string> ineffective_gpu_keys(const RunOptions& run, const JobFacts& facts) {
  std::vector<std::string> sentences;
  if (facts.devices.front().on_gpu()) return sentences;
  const auto add = [&](const char* key, std::int64_t value) {
    sentences.push_back(fmt::format("{} = {} has no effect (no rank trains on a GPU).", key, value));
  };
  if (run.ranks_per_gpu > 1) add("run.ranks_per_gpu", run.ranks_per_gpu);
  if (run.core_lanes > 0) add("run.core_lanes", run.core_lanes);
  return sentences;
}

std::string note_on_gpus(const SettledStudy& settled, const Plan& plan, const JobFacts& facts) {
  if (facts.gpu_speedup == no_gpu) return "";
  const EngineEntry* other = nullptr;  // could train a trial, which trains on cores, on the GPU
  plan.for_each_network([&](const Trial& trial) {
    const bool on_cores = !engine_of(trial, facts.shape, settled.engine(), gpu_lane).uses_gpus;
    if (on_cores && other == nullptr) other = gpu_engine(trial, facts.shape);
  });
  if (other == nullptr) return "";
  const auto times = [](double value) {
    return value < 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
  };
  const double speedup = facts.gpu_speedup;
  return fmt::format(
      "linear models and MLPs train on CPU cores (run.engine = {}), {}. To train them on the GPU, start a run with "
      "run.engine = {}.",
      setting_text(settled, "run.engine"),
      speedup > 1 ? fmt::format("but the GPU is expected to be {} times as fast", times(speedup))
                  : fmt::format("which are expected to be {} times as fast as the GPU", times(1 / speedup)),
      has_trees(plan) ? "by_device" : other->name);
}

std::string note_on_batch(const Study& study, std::int64_t lanes) {
  const double most = most_at_once(study).value_or(std::numeric_limits<double>::infinity());
  if (static_cast<double>(lanes) <= most) return "";
  return fmt::format(
      "{} of {} lanes will wait (search.batch = {}: at most {} are trained at the same time). "
      "A larger search.batch is another search, which learns later.",
      lanes - static_cast<std::int64_t>(most), lanes, batch_of(study),
      counted(static_cast<std::int64_t>(most), "iteration"));
}

}  // namespace sheaf
