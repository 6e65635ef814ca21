// SPDX-License-Identifier: MIT
#include "run/execute_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/clock.hpp"
#include "core/directories.hpp"
#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/log.hpp"
#include "core/standard_output.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "engine/engine_choice.hpp"
#include "engine/product_speed.hpp"
#include "engine/torch_backend.hpp"
#include "hdf5/file.hpp"
#include "journal/journal_files.hpp"
#include "journal/replay.hpp"
#include "journal/study_identity.hpp"
#include "mpi/agreement.hpp"
#include "mpi/session.hpp"
#include "partition/chunk_rules.hpp"
#include "plan/estimate.hpp"
#include "results/result_files.hpp"
#include "results/summary.hpp"
#include "run/curves.hpp"
#include "run/ensemble_score.hpp"
#include "run/model_files.hpp"
#include "run/model_keeper.hpp"
#include "run/place_ranks.hpp"
#include "run/rank_agreement.hpp"
#include "run/settle_study.hpp"
#include "run/stop.hpp"
#include "run/stored_run.hpp"
#include "run/study_data.hpp"
#include "run/train_share.hpp"

namespace sheaf {
namespace {

// A reference BLAS makes every product 15 times slower; OpenBLAS reaches 80 and more on any core of the last decade.
constexpr double slow_blas_flops = 15e9;

// Whether LibTorch trains any trial.
bool torch_trains(const std::vector<std::string>& engine_reasons) {
  return std::any_of(engine_reasons.begin(), engine_reasons.end(),
                     [](const std::string& reason) { return !reason.empty(); });
}

void warn_of_slow_blas(const std::vector<std::string>& engine_reasons) {
  const bool by_torch = torch_trains(engine_reasons);
  if (!by_torch && !resident_engine_needs_blas()) return;
  const double flops = by_torch ? torch_backend().measure_blas_flops() : measure_resident_flops();
  if (flops < slow_blas_flops)
    warn_root(
        fmt::format("{} matrix products run at {:.1f} GFLOP/s (the BLAS library behind them is slow, or the core is "
                    "busy). Install OpenBLAS's OpenMP build (libopenblas0-openmp on Debian).",
                    by_torch ? "LibTorch's" : "The resident engine's", flops / 1e9));
}

// Why LibTorch trains, for each trial. `options`: before they are settled, so that what settled them is told.
std::vector<std::string> engine_reasons(const Plan& plan, const RunOptions& options, bool any_gpu) {
  std::vector<std::string> reasons;
  for (const auto& trial : plan.trials()) reasons.push_back(torch_reason(trial, options, any_gpu));
  return reasons;
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::vector<std::pair<std::string, std::string>> provenance(const std::string& command_line,
                                                            const std::string& data_fingerprint,
                                                            const std::string& directory, bool uses_torch,
                                                            int rank_count, std::time_t started, double seconds) {
  const TorchInfo torch = uses_torch ? torch_backend().info() : TorchInfo{"not used", "not used"};
  return {{"program", "sheaf " + program_version()},
          {"git_revision", git_revision()},
          {"command_line", command_line},
          {"started_utc", utc_text(started)},
          {"finished_utc", utc_text(std::time(nullptr))},
          {"wall_seconds", fmt::format("{:.6f}", seconds)},
          {"rank_count", fmt::format("{}", rank_count)},
          {"attempts", fmt::format("{}", count_attempts(directory))},
          {"mpi", MpiSession::library_version()},
          {"libtorch", torch.version},
          {"blas", torch.blas},
          {"resident_engine", resident_engine_info()},
          {"hdf5", hdf5_version()},
          {"random_numbers", "Philox4x32-10"},
          {"data_fingerprint", data_fingerprint}};
}

// The job's own cause to stop: a signal to this rank or, on rank 0, the time.
std::function<StopCause()> stop_watch(const RunOptions& options, Clock::time_point start, const Communicator& world) {
  const char* slurm_end = world.is_root() ? std::getenv("SLURM_JOB_END_TIME") : nullptr;
  const double limit = world.is_root() ? seconds_until_stop(options.time_limit, slurm_end ? slurm_end : "",
                                                            static_cast<double>(std::time(nullptr)))
                                       : std::numeric_limits<double>::infinity();
  return [start, limit] {
    const StopCause signal = noted_signal();
    return signal != no_stop || seconds_since(start) < limit ? signal : time_is_up;
  };
}

std::string resume_command(const OpenRun& run) {
  const ArrayShare& share = run.share;
  return "sheaf resume " + run.directory +
         (share.is_whole() ? "" : fmt::format(" --run.array={}/{}", share.task, share.tasks));
}

// Trains what is left of the run, into its journal. Collective over world.
StopCause train_rest(const OpenRun& run, const TrainingContext& without_checkpoints, const ModelsOfRun& models,
                     const Placement& placement, Clock::time_point start, const Communicator& world,
                     const Communicator& node) {
  const RunOptions& options = without_checkpoints.study.run;
  CheckpointFiles files(run.directory, run.header);
  const Checkpoints checkpoints{
      static_cast<double>(options.checkpoint_interval), [&](std::int64_t iteration) { return files.load(iteration); },
      [&](std::int64_t iteration, const std::string& reason) { files.set_aside(iteration, reason); },
      [&](std::int64_t iteration, const std::string& state) { files.save(iteration, state); }};
  TrainingContext context = without_checkpoints;
  if (options.checkpoint_interval > 0) context.checkpoints = &checkpoints;
  const bool keeps = options.models != ModelsKept::none;
  agree(world, [&] {
    if (keeps && world.is_root()) make_directory(models_directory(run.directory));
  });
  const auto journal = begin_journal(run, files, world);
  const Share share{options,
                    settled_kind(options.partition, context.stream != nullptr, node.size() == world.size(),
                                 context.plan.trials().size()),
                    run.work,
                    [&] {
                      auto engine = make_engine(context, {placement.gpu, static_cast<int>(placement.threads)});
                      return keeps ? keeping_models(std::move(engine), models) : std::move(engine);
                    },
                    placement,
                    journal.get(),
                    stop_watch(options, start, world),
                    resume_command(run)};
  const StopCause cause = train_share(share, world, node);
  agree(
      world, [&] { journal->close(); }, network_limit(options, resume_command(run)));
  return cause;
}

// The records of a complete journal as results.
RunResults results_of(const Replay& replay, const TrainingContext& context) {
  RunResults results;
  for (const auto& iteration : replay.iterations) {
    const TrainedIteration& trained = iteration.trained;
    results.records.push_back(trained.record);
    results.messages.push_back(trained.message);
    results.epochs.insert(results.epochs.end(), trained.epochs.begin(), trained.epochs.end());
  }
  results.ensembles = score_ensembles(context, replay);
  return results;
}

// The share's records, failed iterations' included.
std::int64_t records_of(const ArrayShare& share, const Replay& replay) {
  return std::count_if(replay.iterations.begin(), replay.iterations.end(), [&](const JournaledIteration& iteration) {
    return share.has(iteration.trained.record.iteration);
  });
}

// What a run that is not complete ends with. Throws RunError when nothing has stopped it.
ExitCode tell_incomplete(const OpenRun& run, const Replay& replay, std::int64_t study_total, StopCause cause) {
  const ArrayShare& share = run.share;
  const auto left = iterations_left(replay.iterations, study_total);
  const std::int64_t own_left = WorkList(share_of(left, share)).count();
  const std::int64_t total = share.count(study_total);
  const std::int64_t done = total - own_left;
  const std::string task = share.is_whole() ? "" : fmt::format("task {}/{}: ", share.task, share.tasks);
  if (cause != iteration_failed && records_of(share, replay) == total) {
    log_root(fmt::format("{}done; {} of the study's {} iterations are still to come from other tasks", task,
                         WorkList(left).count() - own_left, study_total));
    return own_left == 0 ? ExitCode::done : ExitCode::failed;
  }
  const std::string go_on = resume_command(run);
  require(cause != no_stop,
          fmt::format("{} of {} iterations are in the journal of '{}' (the others are lost). Train them with {}.", done,
                      total, run.directory, go_on));
  log_root(fmt::format("{}stopped after {} of {} iterations ({}). Go on with: {}", task, done, total, stop_text(cause),
                       go_on));
  return cause == iteration_failed ? ExitCode::failed : ExitCode::stopped;
}

// The results are safe in the run directory, so a summary that cannot be printed is no failure.
void print_summary(const std::string& text) {
  try {
    print_result(text, "The results are complete in the run directory.");
  } catch (const RunError& error) {
    warn_root(error.what());
  }
}

// None: another task of the job array has opened the run meanwhile, and settled the study otherwise.
std::optional<ExitCode> try_run(const Study& asked, const RunRequest& request, const Communicator& world) {
  const auto start = Clock::now();
  const std::time_t started = std::time(nullptr);
  const ArrayShare share = agree_on_share(asked.run.array, world);
  Study study = asked;
  study.run.array = {};  // the run directory is the whole study's
  const Communicator node = world.split_by_node();

  // 1. Everything that can be wrong is found before anything is written.
  std::optional<Plan> plan;
  agree(world, [&] {
    plan.emplace(study);
    if (study.run.curves) require_countable_epochs(*plan);
  });
  const std::int64_t total = plan->iteration_count();
  const std::optional<Study> stored = find_stored_study(study, request, share, world);
  if (stored) study = with_stored_choices(study, *stored);
  const Placement placement = place_ranks(study.run, world, node);
  const auto ranks = gather_rank_infos(placement, world);
  const std::optional<FileSchema> file = agree_on_data(study, world);
  const JobFacts facts = gather_facts(study, file, placement, world);
  const auto reasons = engine_reasons(*plan, study.run, facts.any_gpu);
  study = settled_study(study, *plan, facts);
  agree(world, [&] { require_trainable(study, *plan, facts); });
  const bool uses_torch = torch_trains(reasons) || study.run.models != ModelsKept::none;
  agree(world, [&] {
    if (uses_torch) torch_backend();  // not by a lane in the middle of a training
  });
  const StudyData data = prepare_study_data(study, *plan, file, placement, world, node);
  ModelFingerprints model_files;
  agree(world, [&] { model_files = fingerprint_model_files(*plan); });
  require_same_on_all_ranks(study, model_files, world);
  agree(world, leave_if_interrupted);
  const std::string fingerprint = data.data ? data.data->fingerprint : "drawn for each iteration from its seed";
  const auto opened = open_run(study, stored.has_value(), request,
                               {program_version(), study_fingerprint(study), fingerprint, journal_format, model_files},
                               total, share, world);
  if (!opened) return std::nullopt;
  const OpenRun& run = *opened;

  // 2. Train.
  const TrainingContext context{study, *plan, data.data ? &*data.data : nullptr, data.splits.get(), data.stream.get()};
  const ModelsOfRun models{study, *plan, data.shape, run.directory};
  StopCause cause = no_stop;
  if (run.work.count() > 0) {
    if (world.is_root()) {
      for (const auto& line : placement_lines(ranks)) log_root(line);
      log_root(fmt::format("{}: {} iterations into '{}'", study.study.name, run.work.count(), run.directory));
      warn_of_slow_blas(reasons);
      if (const auto warning = settled_warning(study, *plan, facts); !warning.empty()) warn_root(warning);
    }
    cause = train_rest(run, context, models, placement, start, world, node);
  }

  // 3. Replay, write, tell.
  const std::int64_t streamed_bytes = world.sum(data.stream ? data.stream->bytes_read() : 0);
  auto code = ExitCode::done;
  agree(world, [&] {
    if (!world.is_root()) return;
    if (run.left == 0 && holds_results(run.directory)) {
      log_root(
          fmt::format("'{}' is finished: all {} iterations are done, and its results are there", run.directory, total));
      return;
    }
    constexpr bool forced = true;  // what does not belong here was refused before
    const Replay replay = replay_journals(run.directory, run.header, total, forced);
    if (cause == iteration_failed || !is_complete(replay, total)) {
      code = tell_incomplete(run, replay, total, cause);
      return;
    }
    RunResults results = results_of(replay, context);
    results.ranks = ranks;
    results.streamed_bytes = streamed_bytes;
    results.engine_reasons = reasons;
    results.provenance = provenance(request.command_line, fingerprint, run.directory, uses_torch, world.size(), started,
                                    seconds_since(start));
    const bool left = !iterations_left(replay.iterations, total).empty();
    {
      const auto files = lock_files(run.directory, share);
      if (study.run.models != ModelsKept::none) settle_best_model(models, results, left);
      write_results(run.directory, study, *plan, results);
      if (!left) remove_checkpoints(run.directory);
    }
    print_summary(summary_text(study, *plan, results));
    log_root(fmt::format("done in {}; results in '{}'", human_seconds(seconds_since(start)), run.directory));
    if (left) code = ExitCode::failed;
  });
  return static_cast<ExitCode>(world.maximum(static_cast<std::int64_t>(code)));
}

}  // namespace

ExitCode execute_run(const Study& asked, const RunRequest& request, const Communicator& world) {
  std::optional<ExitCode> code;
  while (!code) code = try_run(asked, request, world);
  return *code;
}

}  // namespace sheaf
