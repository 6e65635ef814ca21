// SPDX-License-Identifier: MIT
#include "commands/train/plan_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>

#include "commands/train/job_shape.hpp"
#include "commands/train/prepare/data_defaults.hpp"
#include "commands/train/prepare/prepared_study.hpp"
#include "commands/train/prepare/study_cost.hpp"
#include "commands/train/study_arguments.hpp"
#include "commands/train/submit_line.hpp"
#include "core/text.hpp"
#include "data/split_sizes.hpp"
#include "engines/engine_choice.hpp"
#include "models/resnet_layout.hpp"
#include "parallel/devices/cores.hpp"
#include "parallel/devices/gpus.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/search_stages.hpp"
#include "search/search_table.hpp"
#include "search/tpe.hpp"
#include "study/effective_values.hpp"
#include "study/settings.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

std::string data_line(const Study& study, const StudyData& data) {
  const RowCounts rows = expected_rows(study.data, data.file);
  std::string origin =
      study.data.source == DataSource::file
          ? fmt::format("'{}'{}", printable(study.data.file),
                        study.data.weights.empty() ? "" : fmt::format(", weights '{}'", study.data.weights))
          : fmt::format("synthetic, drawn {}", study.data.draw == Draw::study ? "once" : "for each iteration");
  for (const auto& [use, path, count] : {std::tuple("validation", study.data.validation_file, rows.validation_file),
                                         {"test", study.data.test_file, rows.test_file}})
    if (count > 0) origin += fmt::format("; {}: {} of '{}'", use, counted(count, "row"), printable(path));
  const std::int64_t count = data.shape.outputs;
  const std::string outputs = study.data.task == Task::classification ? fmt::format("{} classes", count)
                              : study.data.task == Task::multilabel   ? fmt::format("{} labels", count)
                              : quantiles_of(study.train).empty()
                                  ? counted(count, "target column")
                                  : fmt::format("1 target column with {}", counted(count, "quantile"));
  return fmt::format("data         {} x {}, {} ({})", counted(rows.own, "row"), counted(data.shape.features, "feature"),
                     outputs, origin);
}

std::string data_memory(const StudyData& data) {
  if (data.stream) return fmt::format("data streamed in {}", data.stream->options().plan.text());
  const double feature_bytes = data.data && data.data->byte_features != nullptr ? 1 : sizeof(float);
  const auto columns = static_cast<double>(data.shape.features) * feature_bytes + 8;
  return fmt::format("{} of data per node", human_bytes(static_cast<double>(data.shape.rows) * columns));
}

// "iterations   81 = 27 trials x 1 repeat x 3 folds x 1 member"; of a search with several stages, their trials are
// "(27 + 9 + 3 trials)", and a second line has their epochs.
std::string iterations_line(const Plan& plan, std::vector<StageSize> sizes, std::int64_t epochs) {
  const Stage& stage = plan.stage(0);
  if (!stage.pauses()) sizes.resize(1);  // all repeats together
  std::int64_t trials = 0;
  std::string sum, ends;
  for (const StageSize& size : sizes) {
    trials += size.trials();
    sum += fmt::format("{}{}", sum.empty() ? "" : " + ", size.trials());
    const bool begins_some = size.continued > 0 && !size.new_trials.empty();
    ends += fmt::format("{}{}{} to {}", ends.empty() ? "" : ", ", counted(size.trials(), "trial"),
                        begins_some ? fmt::format(" ({} new)", size.new_trials.count()) : "",
                        counted(size.to_epoch.value_or(epochs), "epoch"));
  }
  const bool several = sizes.size() > 1;
  return fmt::format("iterations   {} = {} x {} x {} x {}{}", trials * plan.repeats() * plan.folds() * plan.members(),
                     several ? fmt::format("({} trials)", sum) : counted(stage.trial_count(), "trial"),
                     counted(plan.repeats(), "repeat"), counted(stage.folds.count(), "fold"),
                     counted(stage.members, "member"), several ? "\nstages       " + ends : "");
}

// "refit        1 iteration: the best trial, trained again on all 1797 rows after the search"; empty without one.
std::string refit_line(const Plan& plan, bool has_ensemble, std::int64_t rows) {
  if (!plan.wants_refit()) return "";
  return fmt::format("refit        {}{}: the best trial{}, trained again on all {} after the search\n",
                     has_ensemble ? "at least " : "", counted(plan.members(), "iteration"),
                     has_ensemble ? " and the trials of the ensemble" : "", counted(rows, "row"));
}

// "checkpoints  81 after the first stage, about 5.2 MiB on disk"; empty without stages. `bytes`: mean size of a
// checkpoint.
std::string checkpoints_line(const Plan& plan, const std::vector<StageSize>& sizes, double bytes) {
  if (!plan.stage(0).pauses()) return "";
  const std::int64_t count = sizes.front().trials() * plan.stage(0).per_trial();
  return fmt::format("checkpoints  {} after the first stage, about {} on disk\n", count,
                     human_bytes(static_cast<double>(count) * bytes));
}

// The stem of each residual network in the plan, without duplicates.
std::string stem_lines(const Plan& plan, const ImageShape& image) {
  std::string lines;
  plan.for_each_network([&](const Trial& trial) {
    if (!is_residual(trial.model.kind)) return;
    Study study;
    study.model = trial.model;
    const std::string line = fmt::format("network      {}: {}\n", setting_text(study, "model.kind"),
                                         resnet_stem_text(trial.model.stem, image));
    if (lines.find(line) == lines.npos) lines += line;
  });
  return lines;
}

constexpr std::int64_t trials_shown = 20;

// "torch (the network has convolutions)", or "GPUs: torch (...); cores: torch (...)" if it depends on the lane.
std::string engine_text(const TrialEngine& engine, const std::vector<LaneDevice>& devices) {
  std::vector<std::string> texts;
  for (const LaneDevice device : devices) {
    const ChosenEngine& chosen = device.on_gpu() ? engine.on_gpu : engine.on_cores;
    texts.push_back(described(chosen.name.view(), chosen.reason));
  }
  if (texts.front() == texts.back()) return texts.front();
  return fmt::format("GPUs: {}; cores: {}", texts.front(), texts.back());
}

// Why a trial is trained alone where others are trained together; otherwise empty.
std::string text_of_obstacle(const Trial& trial, const PreparedStudy& prepared) {
  const LaneDevice lane = prepared.gpu_lanes > 0 ? gpu_lane : core_lane;
  const auto obstacle = stacking_obstacle(trial, prepared.data.shape, prepared.study.engine(), lane);
  return obstacle ? fmt::format("; alone: {}", *obstacle) : "";
}

// A table with parameters, arithmetic, memory, models that train together and engine (on rank 0) of the first trials.
// `estimates`: of these trials.
std::string trial_lines(const Plan& plan, bool has_trial_count, const std::vector<TrialEstimate>& estimates,
                        const PreparedStudy& prepared) {
  std::vector<std::vector<std::string>> rows(1, {"trial"});
  for (const auto& key : plan.searched_keys()) rows[0].push_back(key);
  const bool any_together = std::any_of(estimates.begin(), estimates.end(),
                                        [](const TrialEstimate& estimate) { return estimate.together > 1; });
  for (const char* name : {"parameters", "GFLOP per iteration", "memory per lane"}) rows[0].emplace_back(name);
  if (any_together) rows[0].emplace_back("models together, at most");
  rows[0].emplace_back("engine");
  for (const TrialEstimate& estimate : estimates) {
    const auto number = static_cast<std::int64_t>(rows.size()) - 1;
    const Trial trial = plan.trial(number);
    rows.push_back({fmt::format("{}", number)});
    for (const auto& value : effective_values(plan, number)) rows.back().push_back(value.value_or("-"));
    rows.back().push_back(is_network(trial.model.kind) ? fmt::format("{}", estimate.parameters) : "-");
    rows.back().push_back(is_user_module(trial.model.kind) ? "unknown" : fmt::format("{:.4g}", estimate.flops / 1e9));
    rows.back().push_back(human_bytes(estimate.needed_bytes));
    if (any_together) rows.back().push_back(fmt::format("{}", estimate.together));
    rows.back().push_back(engine_text(prepared.engine_of_trial(trial), prepared.facts.devices) +
                          (any_together && estimate.together == 1 ? text_of_obstacle(trial, prepared) : ""));
  }
  std::string text = format_table(rows);
  if (plan.draws_from_results())
    text += "... later trials are drawn from the results of earlier ones\n";
  else if (!has_trial_count)
    text += "... and more trials until the search ends\n";
  else if (plan.trial_count() > trials_shown)
    text += fmt::format("... and {} more trials\n", plan.trial_count() - trials_shown);
  return text;
}

// "at most roughly 38 s of training (train.patience may end it early)".
std::string time_text(const std::optional<TrainingTime>& time, const std::vector<std::string>& early) {
  if (!time) return "for an unknown time";
  const std::string seconds = time->expected < 1 ? "less than 1 s" : "roughly " + human_seconds(time->expected);
  if (early.empty() || time->expected < 1) return seconds + " of training";
  return fmt::format("at most {} of training ({} may end it early)", seconds, listed(early));
}

// A job on machines like those of this one, and the command that submits it.
std::string job_lines(const Study& study, const SubmittedStudy& submitted, const Plan& plan, const StudyCost& cost,
                      const PreparedStudy& prepared) {
  const BoundCores bound = find_bound_cores();
  const bool on_gpus = prepared.facts.devices.front().on_gpu();
  const MachineFacts machine{static_cast<std::int64_t>(prepared.ranks.hosts().size()), bound.machine_cores,
                             bound.sockets, on_gpus ? static_cast<std::int64_t>(find_gpus().gpus.size()) : 0};
  const JobShape shape = job_shape(machine, study.run, plan.iteration_count());
  const auto time = training_time(study, cost, shape);
  std::error_code ignored;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  return fmt::format(
      "job          {} with {}: {}\nsubmit       {}\n", counted(shape.nodes, "node"),
      counted(shape.gpu_lanes + shape.core_lanes, "lane"), time_text(time, early_ends(study, plan)),
      submit_line(submitted, shape, time ? std::optional(requested_seconds(time->at_most)) : std::nullopt,
                  job_script(on_gpus ? "gpu.sbatch" : "cpu.sbatch", program)));
}

std::string plan_text(const Study& study, const SubmittedStudy& submitted, const Plan& plan,
                      const std::vector<StageSize>& sizes, const PreparedStudy& prepared) {
  const StudyData& data = prepared.data;
  const StudyCost cost = study_cost(prepared, plan, sizes);
  const std::int64_t all_rows = rows_without_test(study.data, expected_rows(study.data, data.file).own);
  std::vector<TrialEstimate> shown;
  const std::int64_t known = plan.draws_from_results() ? Tpe::startup_trials : trials_shown;
  for (std::int64_t number = 0; number < std::min(plan.trial_count(), known); ++number)
    shown.push_back(estimate_of(prepared, plan.trial(number)));
  std::string text = fmt::format("study        {}\n{}\n", study.study.name, data_line(study, data));
  if (data.shape.image.channels > 0)
    text += fmt::format("rows         {}\n", row_text(prepared.facts.layout, data.shape.features));
  text += (study.search.has_trial_count()
               ? iterations_line(plan, sizes, study.train.epochs)
               : fmt::format("iterations   {} per trial, until the end of the search", plan.stage(0).per_trial())) +
          "\n" + refit_line(plan, prepared.study.ensemble() == EnsembleKind::greedy, all_rows);
  if (const auto skipped = plan.skipped_text(); !skipped.empty()) text += fmt::format("skipped      {}\n", skipped);
  text += fmt::format("partition    {} over {} of {}\n", setting_text(study, "run.partition"),
                      counted(prepared.ranks.lane_count(), "lane"),
                      counted(static_cast<std::int64_t>(prepared.ranks.size()), "rank"));
  text += stem_lines(plan, data.shape.image);
  if (study.search.has_trial_count()) text += fmt::format("arithmetic   {:.4g} GFLOP in total\n", cost.flops / 1e9);
  if (cost.seconds)
    text +=
        fmt::format("time         about {} (by the arithmetic, without validation)\n", human_seconds(*cost.seconds));
  const auto& gpu = prepared.placement.gpu;
  text += fmt::format("memory       {}; at most {} per lane{}; {} available per node\n", data_memory(data),
                      human_bytes(cost.memory_bytes),
                      gpu ? fmt::format(" on a GPU of {}", human_bytes(gpu->memory_bytes)) : "",
                      human_bytes(static_cast<double>(prepared.facts.node_bytes)));
  text += checkpoints_line(plan, sizes, cost.checkpoint_bytes);
  text += fmt::format("output       {}\n", printable(run_directory(study)));
  text += job_lines(study, submitted, plan, cost, prepared);
  for (const auto& line : placement_lines(prepared.ranks)) text += line + "\n";
  if (const auto note = note_on_gpus(prepared.study, plan, prepared.facts); !note.empty()) text += note + "\n";
  const SearchOptions& search = study.search;
  const bool has_trial_count = search.has_trial_count() || (search.time == 0 && search.patience == 0);
  text += "\n" + trial_lines(plan, has_trial_count, shown, prepared);
  return text;
}

std::string help() {
  return R"(Loads and checks the study and its data, and shows what `sheaf run` would do. It does not train or write anything. It
loads the TorchScript files and plugins of the study, which are code: plan only studies that you would run.

The line "job" estimates the time on machines like those of this job, for the order of magnitude, and "submit" has the
command that submits the study to Slurm with such nodes. Its time limit is about three times the estimate.

)" + study_help();
}

const LineOptions& options() {
  static const LineOptions all{all_keys(), {}, {}};
  return all;
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  Study study;
  std::optional<Plan> plan;
  std::vector<StageSize> sizes;
  SubmittedStudy submitted;
  agree(world, [&] {
    const Arguments arguments = split_arguments("plan", options(), call.arguments);
    study = study_from_arguments("plan", arguments);
    submitted = {arguments.positional.front(), arguments.assignments, run_directory(study)};
  });
  study = settle_data_defaults(study, world);
  agree(world, [&] {
    plan.emplace(study);
    const auto searcher = make_searcher(study);
    SearchStages(*searcher, *plan).choose_next();
    sizes = searcher->sizes(*plan);
  });
  const Communicator node = world.split_by_node();
  const PreparedStudy prepared = prepare_study(
      study, *plan, false, [](const PreparedStudy&) {}, world, node);
  Study shown = prepared.study;
  shown.run.partition = settled_kind(shown.run.partition, prepared.data.stream != nullptr, node.size() == world.size(),
                                     plan->trial_count(), prepared.facts.devices.size() > 1);
  agree(world, [&] {
    if (world.is_root()) print_job_result(plan_text(shown, submitted, *plan, sizes, prepared));
  });
  return ExitCode::done;
}

}  // namespace

Command plan_command() {
  return {"plan",
          "STUDY.cfg|DATA.h5 [--key=value ...]",
          "show iterations, cost, memory and placement of a study",
          help,
          options,
          run};
}

}  // namespace sheaf
