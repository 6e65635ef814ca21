// SPDX-License-Identifier: MIT
#include "commands/train/train_job.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "commands/train/cut_off.hpp"
#include "commands/train/finish_run.hpp"
#include "commands/train/model_files.hpp"
#include "commands/train/model_saving.hpp"
#include "commands/train/prepared_study.hpp"
#include "commands/train/rank_agreement.hpp"
#include "commands/train/stop.hpp"
#include "commands/train/stored_run.hpp"
#include "commands/train/train_stage.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "engines/lane_engine.hpp"
#include "engines/native/blas_library.hpp"
#include "engines/native/blas_memory.hpp"
#include "engines/native/native_trainer.hpp"
#include "engines/native/product_speed.hpp"
#include "engines/torch_backend.hpp"
#include "files/directories.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/session.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"

namespace sheaf {
namespace {

// A reference BLAS makes every product 15 times slower; OpenBLAS reaches 80 and more on any core of the last decade.
constexpr double slow_blas_flops = 15e9;

bool torch_trains(const Plan& plan, const EngineOfTrial& engine_of_trial) {
  bool any = false;
  plan.for_each_network([&](std::int64_t number, const Trial&) {
    const TrialEngine engine = engine_of_trial(number);
    any = any || engine.on_gpu.name == torch_engine_name || engine.on_cores.name == torch_engine_name;
  });
  return any;
}

void warn_of_slow_blas(bool by_torch) {
  if (!by_torch && !native_engine_needs_blas()) return;
  const double flops = by_torch ? torch_backend().measure_blas_flops() : measure_native_flops();
  if (flops < slow_blas_flops)
    warn_root(
        fmt::format("{} matrix products run at {:.1f} GFLOP/s (the BLAS library behind them is slow, or the core is "
                    "busy). Install OpenBLAS's OpenMP build (libopenblas0-openmp on Debian).",
                    by_torch ? "LibTorch's" : "The native engine's", flops / 1e9));
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::vector<std::pair<std::string, std::string>> provenance(const std::string& command_line,
                                                            const std::string& data_fingerprint,
                                                            const std::string& directory, bool uses_torch,
                                                            int rank_count, const std::string& mpi_version,
                                                            const JobStart& start) {
  const bool uses_blas = uses_torch || native_engine_needs_blas();
  return {{"program", "sheaf " + program_version()},
          {"git_revision", git_revision()},
          {"command_line", command_line},
          {"started_utc", utc_text(start.utc)},
          {"finished_utc", utc_text(std::time(nullptr))},
          {"wall_seconds", fmt::format("{:.6f}", seconds_since(start.monotonic))},
          {"rank_count", fmt::format("{}", rank_count)},
          {"attempts", fmt::format("{}", count_attempts(directory))},
          {"mpi", mpi_version},
          {"libtorch", uses_torch ? torch_backend().info().version : "not used"},
          {"blas", uses_blas ? blas_library() : "not used"},
          {"native_engine", native_engine_info()},
          {"hdf5", hdf5_version()},
          {"random_numbers", "Philox4x32-10"},
          {"data_fingerprint", data_fingerprint}};
}

// Rank 0 alone watches the time.
std::function<StopCause()> stop_watch_of(const RunOptions& options, const JobStart& start, const Communicator& world) {
  const char* slurm_end = std::getenv("SLURM_JOB_END_TIME");
  return stop_watch(world.is_root() ? options.time_limit : TimeLimit{TimeLimit::Kind::none, 0},
                    slurm_end ? slurm_end : "", start);
}

// Trains what is left of the run, into its journal. Collective over world.
TrainedRest train_rest(const OpenRun& run, const TrainingContext& without_checkpoints, const SavedModels& models,
                       const Placement& placement, const JobStart& start, const Communicator& world,
                       const Communicator& node) {
  const RunOptions& options = without_checkpoints.study.run;
  CheckpointFiles files(run.directory, run.header);
  const Checkpoints checkpoints{
      options.checkpoint_interval, [&](std::int64_t iteration) { return files.load(iteration); },
      [&](std::int64_t iteration, const std::string& reason) { files.set_aside(iteration, reason); },
      [&](std::int64_t iteration, const std::string& state) { files.save(iteration, state); }};
  TrainingContext context = without_checkpoints;
  if (options.checkpoint_interval > 0) context.checkpoints = &checkpoints;
  const bool keeps = options.models != ModelsSaved::none;
  agree(world, [&] {
    if (keeps && world.is_root()) make_directory(models_directory(run.directory));
  });
  const auto journal = begin_journal(run, files, world);
  const StageWork stage{options,
                        settled_kind(options.partition, context.stream != nullptr, node.size() == world.size(),
                                     context.plan.trial_count()),
                        run.work,
                        [&](int lane) {
                          auto engine = make_engine(context, placement.lanes[static_cast<std::size_t>(lane)]);
                          return keeps ? saving_models(std::move(engine), models) : std::move(engine);
                        },
                        placement,
                        journal.get(),
                        stop_watch_of(options, start, world),
                        run.resume_command()};
  const StopCause cause = train_stage(stage, world, node);
  TrainedRest trained{cause, {}, {}};
  agree_in_background(
      world,
      [&] {
        journal->close();
        trained.results = journal->take_results();
      },
      network_limit(options, run.resume_command(), world, node));
  for (int rank = 0; world.is_root() && rank < world.size(); ++rank)
    trained.journals.push_back(sibling_journal(journal->path(), rank));
  return trained;
}

// None: another task of the job array has opened the run meanwhile, and settled the study otherwise.
std::optional<ExitCode> try_run(const Study& asked, const RunRequest& request, const JobStart& start,
                                const Communicator& world) {
  const ArraySlice slice = agree_on_slice(asked.run.array, world);
  Study study = asked;
  study.run.array = {};  // the run directory is the whole study's
  const Communicator node = world.split_by_node();
  const Communicator leaders = world.split(node.is_root() ? 0 : -1);  // here: no time limit covers a split

  // 1. Everything that can be wrong is found before anything is written.
  std::optional<Plan> plan;
  agree(world, [&] { plan.emplace(study); });
  const std::int64_t total = plan->iteration_count();
  const std::optional<Study> stored = find_stored_study(study, request, slice, world);
  if (stored) study = with_stored_choices(study, *stored);
  const auto uses_torch = [&plan](const PreparedStudy& of) {
    return torch_trains(*plan, of.engine_of_trial) || of.study.run.models != ModelsSaved::none;
  };
  const PreparedStudy prepared = prepare_study(
      study, *plan, stored.has_value(),
      [&](const PreparedStudy& so_far) {
        if (uses_torch(so_far)) torch_backend();  // not by a lane in the middle of a training
        if (uses_torch(so_far) || native_engine_needs_blas()) reserve_blas_memory(so_far.placement.thread_count() + 1);
      },
      world, node);
  study = prepared.study;
  const StudyData& data = prepared.data;
  ModelFingerprints model_files;
  agree(world, [&] { model_files = fingerprint_model_files(*plan); });
  require_same_on_all_ranks(study, model_files, world);
  agree(world, leave_if_interrupted);
  const std::string fingerprint = data.data ? data.data->fingerprint : "drawn for each iteration from its seed";
  const auto opened = open_run(study, stored.has_value(), request,
                               {program_version(), study_fingerprint(study), fingerprint, journal_format, model_files},
                               total, slice, world);
  if (!opened) return std::nullopt;
  const OpenRun& run = *opened;

  // 2. Train.
  const TrainingContext context{study, *plan, data.data ? &*data.data : nullptr, data.splits.get(), data.stream.get()};
  const SavedModels models{study, *plan, data.shape, run.directory};
  TrainedRest trained;
  if (run.work.count() > 0) {
    if (world.is_root()) {
      for (const auto& line : placement_lines(prepared.ranks)) log_root(line);
      log_root(
          fmt::format("{}: {} into '{}'", study.study.name, counted(run.work.count(), "iteration"), run.directory));
      warn_of_slow_blas(torch_trains(*plan, prepared.engine_of_trial));
      if (const auto note = note_on_gpus(study, *plan, prepared.facts); !note.empty()) log_root(note);
    }
    trained = train_rest(run, context, models, prepared.placement, start, world, node);
  }

  // 3. Gather, write, tell.
  const auto tell_provenance = [&, mpi_version = MpiSession::library_version()] {
    return provenance(request.command_line, fingerprint, run.directory, uses_torch(prepared), world.size(), mpi_version,
                      start);
  };
  return finish_run({run, context, models, trained, prepared.ranks, prepared.engine_of_trial,
                     data.stream ? data.stream->bytes_read() : 0, tell_provenance, start.monotonic},
                    world, node, leaders);
}

}  // namespace

ExitCode execute_run(const Study& study, const RunRequest& request, const Communicator& world) {
  const JobStart start;
  std::optional<ExitCode> code;
  while (!code) code = try_run(study, request, start, world);
  return *code;
}

}  // namespace sheaf
